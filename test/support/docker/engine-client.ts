import { type IncomingMessage, request } from 'node:http';

export type Labels = Readonly<Record<string, string>>;

export interface Listed {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Image: string;
  readonly Command: string;
  readonly ImageID: string;
  readonly Labels: Labels;
  readonly State: string;
}

/** What tests look at of an inspection. */
export interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly Image: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Status: string;
    readonly Running: boolean;
    readonly Paused: boolean;
    readonly Pid: number;
    readonly ExitCode: number;
  };
  readonly Config: { readonly Labels: Labels; readonly Env: readonly string[]; readonly Cmd: readonly string[]; readonly Image: string };
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>>;
  };
}

export interface NewContainer {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly labels?: Labels;
  /** In the engine's own words, on top of the above. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const IMAGE = 'colony-test:v1';
const IMAGE_GONE_OR_THERE = [200, 404];

/** What an engine was asked and did not do. */
export class EngineError extends Error {
  constructor(
    readonly status: number,
    asked: string,
    said: string,
  ) {
    super(`${asked}: ${status} ${said.trim()}`);
  }
}

/** Looks at an engine and disturbs it, from outside the product: shares no code with what it judges. */
export class EngineClient {
  constructor(readonly socket: string) {}

  /** Every container, in whatever state, of whomever; by label if asked (`colony.uid=…`). */
  list(...labels: readonly string[]): Promise<readonly Listed[]> {
    return this.#json('GET', `/containers/json?all=true&filters=${encode({ label: labels })}`);
  }

  /** Undefined when there is none. */
  async inspect(id: string): Promise<Inspected | undefined> {
    const bytes = await this.inspectBytes(id);
    return bytes && (JSON.parse(bytes.toString()) as Inspected);
  }

  /** As the engine has written it. */
  async inspectBytes(id: string): Promise<Buffer | undefined> {
    const { status, body } = await this.#ask('GET', `/containers/${id}/json`, undefined, IMAGE_GONE_OR_THERE);
    return status === 404 ? undefined : body;
  }

  /** Its id; not started. */
  async create({ name, image = IMAGE, command, labels = {}, body = {} }: NewContainer = {}): Promise<string> {
    const wish = { Image: image, Labels: labels, ...(command ? { Cmd: command } : {}), ...body };
    const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
    return (await this.#json<{ Id: string }>('POST', `/containers/create${query}`, wish)).Id;
  }

  /** A container that is none of ours, running; with labels or a name that look like ours, if wished. */
  async createStranger(wish: NewContainer = {}): Promise<string> {
    const id = await this.create(wish);
    await this.start(id);
    return id;
  }

  async start(id: string): Promise<void> {
    await this.#ask('POST', `/containers/${id}/start`);
  }

  async stop(id: string, seconds = 5): Promise<void> {
    await this.#ask('POST', `/containers/${id}/stop?t=${seconds}`);
  }

  async restart(id: string, seconds = 5): Promise<void> {
    await this.#ask('POST', `/containers/${id}/restart?t=${seconds}`);
  }

  async kill(id: string, signal = 'SIGKILL'): Promise<void> {
    await this.#ask('POST', `/containers/${id}/kill?signal=${signal}`);
  }

  /** By force, with its anonymous volumes. Fine when it is gone or going already. */
  async remove(id: string): Promise<void> {
    await this.#ask('DELETE', `/containers/${id}?force=true&v=true`, undefined, [204, 404, 409]);
  }

  async pause(id: string): Promise<void> {
    await this.#ask('POST', `/containers/${id}/pause`);
  }

  async unpause(id: string): Promise<void> {
    await this.#ask('POST', `/containers/${id}/unpause`);
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#ask('POST', `/containers/${id}/rename?name=${encodeURIComponent(name)}`);
  }

  /** Changes limits or the restart policy, in the engine's own words. */
  async update(id: string, change: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask('POST', `/containers/${id}/update`, change);
  }

  /** Both streams, in the order said. */
  async logs(id: string): Promise<string> {
    const { body } = await this.#ask('GET', `/containers/${id}/logs?stdout=true&stderr=true`);
    return unframe(body);
  }

  /** Runs a command inside and waits for its end. */
  async exec(id: string, command: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
    const wish = { Cmd: command, AttachStdout: true, AttachStderr: true };
    const { Id } = await this.#json<{ Id: string }>('POST', `/containers/${id}/exec`, wish);
    const { body } = await this.#ask('POST', `/exec/${Id}/start`, { Detach: false, Tty: false });
    const { ExitCode } = await this.#json<{ ExitCode: number }>('GET', `/exec/${Id}/json`);
    return { code: ExitCode, said: unframe(body) };
  }

  /** What runs inside, a line each. */
  async top(id: string): Promise<readonly string[]> {
    const { Processes } = await this.#json<{ Processes: readonly (readonly string[])[] }>('GET', `/containers/${id}/top`);
    return Processes.map((words) => words.join(' '));
  }

  /** Names of everything in the engine that bears the owner's label; empty when nothing was leaked. */
  async tracesOf(uid: string): Promise<string[]> {
    const filters = encode({ label: [`colony.uid=${uid}`] });
    const containers = await this.list(`colony.uid=${uid}`);
    const networks = await this.#json<{ Name: string }[]>('GET', `/networks?filters=${filters}`);
    const { Volumes } = await this.#json<{ Volumes: { Name: string }[] | null }>('GET', `/volumes?filters=${filters}`);
    return [
      ...containers.map(({ Id, Names }) => `container ${Names[0] ?? Id}`),
      ...networks.map(({ Name }) => `network ${Name}`),
      ...(Volumes ?? []).map(({ Name }) => `volume ${Name}`),
    ];
  }

  /** The image's id; undefined when the engine has it not. */
  async imageId(image: string): Promise<string | undefined> {
    const { status, body } = await this.#ask('GET', `/images/${image}/json`, undefined, IMAGE_GONE_OR_THERE);
    return status === 404 ? undefined : (JSON.parse(body.toString()) as { Id: string }).Id;
  }

  async tag(image: string, repository: string, tag: string): Promise<void> {
    await this.#ask('POST', `/images/${image}/tag?repo=${encodeURIComponent(repository)}&tag=${tag}`);
  }

  async removeImage(image: string): Promise<void> {
    await this.#ask('DELETE', `/images/${image}`, undefined, IMAGE_GONE_OR_THERE);
  }

  /** To the registry that the name begins with. */
  async push(repository: string, tag: string, login: Labels = {}): Promise<void> {
    const path = `/images/${repository}/push?tag=${tag}`;
    const { body } = await this.#ask('POST', path, undefined, [200], {
      'x-registry-auth': Buffer.from(JSON.stringify(login)).toString('base64'),
    });
    if (body.includes('"error"')) throw new EngineError(200, `POST ${path}`, body.toString());
  }

  /** Makes a volume of that name and removes it, so that the events have a place to look for. */
  async mark(name: string): Promise<void> {
    await this.#ask('POST', '/volumes/create', { Name: name });
    await this.#ask('DELETE', `/volumes/${name}`);
  }

  /** An answer that goes on, as `/events` does. */
  open(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.socket, path, agent: false }, resolve).on('error', reject).end();
    });
  }

  async #json<T>(method: string, path: string, wish?: unknown): Promise<T> {
    return JSON.parse((await this.#ask(method, path, wish)).body.toString()) as T;
  }

  /** Anything below 400 is fine, unless told which. */
  async #ask(method: string, path: string, wish?: unknown, fine?: readonly number[], headers: Labels = {}): Promise<Answer> {
    const answer = await this.call(method, path, wish, headers);
    if (fine ? fine.includes(answer.status) : answer.status < 400) return answer;
    throw new EngineError(answer.status, `${method} ${path}`, answer.body.toString());
  }

  /** Whatever the engine answers. */
  call(method: string, path: string, wish?: unknown, more: Labels = {}): Promise<Answer> {
    const payload = wish === undefined ? undefined : Buffer.from(JSON.stringify(wish));
    const headers = payload ? { ...more, 'content-type': 'application/json', 'content-length': payload.length } : more;
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: this.socket, method, path, headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  }
}

const encode = (filters: Readonly<Record<string, readonly string[]>>): string => encodeURIComponent(JSON.stringify(filters));

/** Without a terminal, both streams come in frames: a byte for which, three of nothing, four for the length. */
function unframe(body: Buffer): string {
  let said = '';
  for (let at = 0; at + 8 <= body.length; ) {
    const length = body.readUInt32BE(at + 4);
    said += body.toString('utf8', at + 8, at + 8 + length);
    at += 8 + length;
  }
  return said;
}
