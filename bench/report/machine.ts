import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

/** Where and on what the numbers were taken. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** As `temporal --version` says it. */
  readonly temporal: string;
  /** Processes that wanted a core in the last minute, before anything of ours ran. */
  readonly load: number;
}

export function describeMachine(binary: string): Machine {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown CPU',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    temporal: execFileSync(binary, ['--version'], { encoding: 'utf8' })
      .trim()
      .replace(/^temporal version /, 'CLI '),
    load: loadavg()[0] ?? 0,
  };
}

/** One line for the page. */
export function sentenceOf({ cores, cpu, memoryGb, system, node, temporal, load }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGb} GB, ${system}, Node ${node}, Temporal ${temporal}; load before the run ${load.toFixed(2)}`;
}
