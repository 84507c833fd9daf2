import { hostname } from 'node:os';
import { isDnsLabel } from '../../../definitions/core/identity.ts';
import { MAX_LEASE_S, MAX_WORKER_CHARS } from '../../../definitions/request-state/commands.ts';
import { requestState } from '../../../definitions/request-state/index.ts';
import type { RequestStateStatus } from '../../../definitions/request-state/schema.ts';
import type { Request } from '../../request-flow/batch.ts';
import { direct } from '../../request-flow/direct.ts';
import { runCommand, takeTime } from '../../request-flow/perform.ts';
import { sayAs } from '../../request-flow/say.ts';
import { work } from '../../request-flow/work.ts';
import type { Context } from '../context.ts';
import { notBoth } from '../contradictions.ts';
import { escapeLine } from '../escape.ts';
import { parseDuration } from '../input/duration.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { parseFormat } from '../output/format.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { renderTable } from '../output/table.ts';
import { EXIT_ERROR } from '../report.ts';
import { UsageError } from '../usage-error.ts';

interface RequestStateOptions {
  readonly verb: 'director' | 'worker' | 'list';
  readonly name?: string;
  readonly jobs?: string;
  readonly count?: string;
  readonly attempts?: string;
  readonly timeout?: string;
  readonly lease?: string;
  readonly workMs?: string;
  readonly exec?: string;
  readonly parallel?: string;
}

const DNS_LABEL = 'lower-case letters, digits and "-", at most 63';
const MAX_JOB_CHARS = 253;

/** The two programs of the request flow, and the list of what they did. */
export async function run(context: Context, _: readonly string[], options: RequestStateOptions): Promise<number> {
  const { namespace } = context;
  if (!isDnsLabel(namespace)) throw new UsageError(`the namespace is ${JSON.stringify(namespace)}; it must be ${DNS_LABEL}`);
  if (options.verb === 'director') return runDirector(context, options);
  return options.verb === 'worker' ? runWorker(context, options) : list(context);
}

async function runDirector(context: Context, options: RequestStateOptions): Promise<number> {
  const name = labelValue(options.name ?? hostname().slice(0, 63));
  const begin = {
    size: count(options.count, '--count', 1),
    jobs: listed(options.jobs) ?? ['JOB1', 'JOB2'],
    attempts: count(options.attempts, '--attempts', 3),
    ...(options.timeout === undefined ? {} : { timeoutMs: parseDuration(options.timeout, '--timeout') }),
  };
  const { requests, close } = await requestsOf(context, `director ${name}`);
  const { namespace, io } = context;
  const say = sayAs(`director ${name}`, io.out, io.now);
  const { outcomes, open } = await direct({ requests, namespace, name, begin, say, signal: io.interrupted() }).finally(close);
  const completed = [...outcomes.values()].filter((outcome) => outcome === 'COMPLETED').length;
  const rest = open > 0 ? `; ${open} unfinished, go on with: colony requeststate director --name ${name} -n ${namespace}` : '';
  say(`${completed} of ${outcomes.size + open} completed${rest}`);
  return completed === outcomes.size + open ? 0 : EXIT_ERROR;
}

async function runWorker(context: Context, options: RequestStateOptions): Promise<number> {
  const { namespace, io } = context;
  const name = workerName(options.name ?? `${hostname()}-${process.pid}`);
  const jobs = listed(options.jobs);
  const leaseMs = parseDuration(options.lease ?? '30s', '--lease');
  if (leaseMs < 1_000 || leaseMs > MAX_LEASE_S * 1_000)
    throw new UsageError(`--lease is ${JSON.stringify(options.lease)}; it must be from 1s to ${MAX_LEASE_S / 3_600}h`);
  if (options.exec !== undefined && options.workMs !== undefined) throw notBoth('--exec', '--work-ms');
  const perform = options.exec === undefined ? takeTime(milliseconds(options.workMs)) : runCommand(options.exec);
  const parallel = count(options.parallel, '--parallel', 4);
  const { requests, close } = await requestsOf(context, name);
  const say = sayAs(`worker ${name}`, io.out, io.now);
  say(`takes ${jobs ? jobs.join(', ') : 'all jobs'} in namespace ${namespace}, ${parallel} at once`);
  const signal = io.interrupted();
  await work({ requests, namespace, name, leaseMs, parallel, perform, say, signal, ...(jobs ? { jobs } : {}) }).finally(close);
  say('stopped');
  return 0;
}

/** Writes carry the program's own name, not the user's: the history shows who did what. */
async function requestsOf({ globals: { address, temporalNamespace } }: Context, actor: string) {
  const { connect } = await import('../../client/connect.ts');
  const colony = await connect({ actor, ...(address ? { address } : {}), ...(temporalNamespace ? { temporalNamespace } : {}) });
  return { requests: colony.kind(requestState), close: () => colony.close() };
}

async function list(context: Context): Promise<number> {
  const { io, namespace, globals } = context;
  const format = parseFormat(globals.output, ['table', 'json', 'yaml', 'name']);
  const requests = await (await context.colony()).kind(requestState).list({ namespace });
  if (format.as !== 'table') io.out(await renderValue(listOf(requests), format));
  else if (requests.length === 0) io.err(`No requests found in namespace ${namespace}.\n`);
  else io.out(requests.map(renderHistory).join('\n'));
  return 0;
}

function renderHistory({ metadata, spec, status }: Request): string {
  const { history, historyCut, claim } = status as unknown as RequestStateStatus;
  const held = claim ? `, ${claim.expired ? 'abandoned' : 'claimed'} by ${claim.worker} until ${claim.expiresAt}` : '';
  const head = `${escapeLine(`${metadata.name}  ${spec.job} ${spec.state}${held}`)}\n`;
  const cut = historyCut > 0 ? `  (${historyCut} older entries were cut)\n` : '';
  const rows = history.map(({ timestamp, job, state, attempt, actor }) => [timestamp, job, state, String(attempt), actor]);
  return `${head}${cut}${renderTable(['WHEN', 'JOB', 'STATE', 'ATTEMPT', 'BY'], rows, { indent: '  ' })}`;
}

function listed(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const jobs = text.split(',').map((job) => job.trim());
  if (jobs.some((job) => job === '') || new Set(jobs).size < jobs.length)
    throw new UsageError('--jobs is a list of different names: JOB1,JOB2');
  if (jobs.some((job) => job.length > MAX_JOB_CHARS)) throw new UsageError(`--jobs holds a name of more than ${MAX_JOB_CHARS} characters`);
  return jobs;
}

const count = (text: string | undefined, option: string, otherwise: number): number =>
  text === undefined ? otherwise : wholeNumber(text, option);

function milliseconds(text = '2000'): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 86_400_000))
    throw new UsageError(`--work-ms is ${JSON.stringify(text)}; it must be a number of milliseconds`);
  return value;
}

function workerName(name: string): string {
  if (name !== '' && name.length <= MAX_WORKER_CHARS) return name;
  throw new UsageError(`--name is ${name === '' ? 'empty' : 'too long'}; it must be from 1 to ${MAX_WORKER_CHARS} characters`);
}

function labelValue(name: string): string {
  if (/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(name)) return name;
  throw new UsageError(`--name is ${JSON.stringify(name)}; it must be at most 63 letters, digits, "-", "_" or "."`);
}
