import { shorten } from '../../../definitions/core/quote.ts';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import { type Address, probePort } from '../probe-port.ts';
import { type ExecSession, Unreachable } from '../runtime.ts';
import type { Containers } from './containers.ts';
import { sentenceOf } from './errors.ts';
import { createExec, isExecRunning, startExec } from './exec.ts';

const MAX_OUTPUT = 200;

/** Asks one check of one of our containers; throws with one sentence when it fails. */
export async function probeContainer(containers: Containers, id: string, check: ProbeCheck, timeoutMs: number): Promise<void> {
  switch (check.type) {
    case 'exec':
      return await inTime(timeoutMs, (late) => probeExec(containers, id, check.command, late));
    case 'http':
    case 'tcp':
      return await probePort(await addressOf(containers, id, check.port), check, timeoutMs);
    case 'taskQueue':
      throw new Error('not probed here');
  }
}

/** Where the port is published, else the container's own address. */
async function addressOf(containers: Containers, id: string, port: number): Promise<Address> {
  const known = containers.known.inspection(id)?.seen.ports?.find((one) => one.container === port && one.protocol === 'tcp');
  if (known) return { host: reachable(known.address), port: known.host };
  const { container } = (await containers.inspect(id)) ?? {};
  if (!container) throw new Error('there is no such instance on this node');
  const [binding] = container.NetworkSettings.Ports?.[`${port}/tcp`] ?? [];
  if (binding) return { host: reachable(binding.HostIp), port: Number(binding.HostPort) };
  const address = Object.values(container.NetworkSettings.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  if (!address) throw new Error('it has no address');
  return { host: address, port };
}

const reachable = (address: string): string => (address === '' || address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address);

async function probeExec(containers: Containers, id: string, command: readonly string[], late: AbortSignal): Promise<void> {
  const { known, engine } = containers;
  if (!known.inspection(id) && !(await containers.inspect(id))) throw new Error('there is no such instance on this node');
  if (await isOverdue(containers, id, command)) throw new Error('the command of an earlier probe still runs, so it was not run again');
  const request = { command, tty: false, stdin: false };
  const exec = await createExec(engine, id, request);
  // Nobody waits for what was not started yet.
  if (late.aborted) return;
  const giveUp = (): void => known.overdue.add(id, command, exec);
  late.addEventListener('abort', giveUp, { once: true });
  try {
    const { code, output } = await endOf(await startExec(engine, exec, request));
    known.overdue.delete(id, exec);
    if (code === 0) return;
    const said = shorten(sentenceOf(output), MAX_OUTPUT);
    throw new Error(`the command ended with ${code}${said === '' ? '' : `: ${said}`}`);
  } catch (error) {
    // Whoever closes its output, or loses the connection, may run on.
    if (error instanceof Unreachable) giveUp();
    throw error;
  } finally {
    late.removeEventListener('abort', giveUp);
  }
}

async function endOf(session: ExecSession): Promise<{ readonly code: number; readonly output: string }> {
  let output = '';
  for await (const { data } of session.output) if (output.length < MAX_OUTPUT) output += Buffer.from(data).toString('utf8');
  return { code: await session.exitCode, output };
}

/** True while such a command runs that an earlier probe did not wait for. */
async function isOverdue({ engine, known: { overdue } }: Containers, id: string, command: readonly string[]): Promise<boolean> {
  for (const exec of overdue.of(id, command)) {
    if (await isExecRunning(engine, exec)) return true;
    overdue.delete(id, exec);
  }
  return false;
}

/** The command itself goes on: an engine cannot end it. */
async function inTime(timeoutMs: number, begin: (late: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      ending.abort();
      reject(new Error(`the command did not end in ${timeoutMs / 1000} s`));
    }, timeoutMs);
  });
  const work = begin(ending.signal);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
