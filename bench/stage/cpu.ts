import { readFileSync } from 'node:fs';

/** CPU time that a process has used so far, all its threads; ms. NaN where there is no /proc. */
export function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Linux counts in hundredths of a second, whatever the kernel's own clock.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}
