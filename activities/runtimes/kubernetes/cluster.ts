import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import type * as Library from '@kubernetes/client-node';
import { answerOf, clusterError, outage } from './errors.ts';

const CALL_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64_000;

interface Connection {
  readonly library: typeof Library;
  readonly config: Library.KubeConfig;
  readonly apps: Library.AppsV1Api;
  readonly core: Library.CoreV1Api;
  /** Where things go that name no namespace. */
  readonly namespace: string;
}

/**
 * The way to one cluster. The library is loaded, and the kubeconfig read, when somebody asks for the first time; what cannot be
 * read is read again at the next call.
 */
export class Cluster {
  private connection: Promise<Connection> | undefined;

  /** @param kubeConfig Path of a kubeconfig, or several as in KUBECONFIG. */
  constructor(private readonly kubeConfig: string) {}

  /** Calls the cluster. Guarantees: fails with ClusterError or Unreachable, and in time. */
  async call<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } catch (error) {
      throw clusterError(error);
    }
  }

  /** The same for what is not there: undefined. */
  async find<T>(work: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.call(work);
    } catch (error) {
      if ((error as { status?: unknown }).status === 404) return undefined;
      throw error;
    }
  }

  /** The body of a GET while it comes; `timeoutMs` is for its beginning. */
  async open(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<IncomingMessage> {
    const { config } = await this.connect();
    try {
      const url = new URL(`${config.getCurrentCluster()?.server}${path}?${new URLSearchParams(query)}`);
      const options: RequestOptions = { method: 'GET', signal };
      await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
      const answer = await answerTo(url, options, timeoutMs);
      if (answer.statusCode === 200) return answer;
      throw answerOf(answer.statusCode ?? 0, await textOf(answer));
    } catch (error) {
      throw clusterError(error);
    }
  }

  async connect(): Promise<Connection> {
    this.connection ??= load(this.kubeConfig);
    try {
      return await this.connection;
    } catch (error) {
      this.connection = undefined;
      throw outage(error);
    }
  }
}

async function load(paths: string): Promise<Connection> {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  const [first = '', ...others] = paths.split(delimiter).filter((path) => path !== '');
  config.loadFromFile(first);
  for (const path of others) {
    const other = new library.KubeConfig();
    other.loadFromFile(path);
    config.mergeConfig(other, true);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`the kubeconfig ${paths} has no current context`);
  const configuration = library.createConfiguration({
    baseServer: new library.ServerConfiguration(cluster.server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        pre: async (context) => {
          context.setSignal(AbortSignal.timeout(CALL_TIMEOUT_MS));
          return context;
        },
        post: async (context) => context,
      },
    ],
  });
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  return { library, config, apps: new library.AppsV1Api(configuration), core: new library.CoreV1Api(configuration), namespace };
}

function answerTo(url: URL, options: RequestOptions, timeoutMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs);
    request.once('response', (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.end();
  });
}

async function textOf(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
