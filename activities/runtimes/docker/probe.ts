import { shorten } from '../../../definitions/core/quote.ts';
import type { ProbeCheck } from '../../../definitions/core/template.ts';
import { type Address, probePort } from '../probe-port.ts';
import type { Containers } from './containers.ts';
import { sentenceOf } from './errors.ts';
import { execIn } from './exec.ts';

const MAX_OUTPUT = 200;

/** Asks one check of one of our containers; throws with one sentence when it fails. */
export async function probeContainer(containers: Containers, id: string, check: ProbeCheck, timeoutMs: number): Promise<void> {
  switch (check.type) {
    case 'exec':
      return await inTime(timeoutMs, probeExec(containers, id, check.command));
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

async function probeExec(containers: Containers, id: string, command: readonly string[]): Promise<void> {
  const { known, engine } = containers;
  if (!known.inspection(id) && !(await containers.inspect(id))) throw new Error('there is no such instance on this node');
  const session = await execIn(engine, id, { command, tty: false, stdin: false });
  let output = '';
  for await (const { data } of session.output) if (output.length < MAX_OUTPUT) output += Buffer.from(data).toString('utf8');
  const code = await session.exitCode;
  if (code === 0) return;
  const said = shorten(sentenceOf(output), MAX_OUTPUT);
  throw new Error(`the command ended with ${code}${said === '' ? '' : `: ${said}`}`);
}

/** The command itself goes on: an engine cannot end it. */
async function inTime(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the command did not end in ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
