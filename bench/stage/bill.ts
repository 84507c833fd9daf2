import { cpuMs } from './cpu.ts';

/** Who used how much CPU time since this was made. */
export class Bill {
  private readonly before: readonly (readonly [name: string, pid: number, ms: number])[];

  constructor(pids: Readonly<Record<string, number>>) {
    this.before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuMs(pid)]);
  }

  /** `server 1.2 ms, worker 0.8 ms` for each of so many. */
  perUnit(count: number): string {
    return this.before.map(([name, pid, ms]) => `${name} ${((cpuMs(pid) - ms) / count).toFixed(1)} ms`).join(', ');
  }
}
