import { readFileSync } from 'node:fs';

/** A zombie is still somebody while threads of it run: they hold its files, locks and ports. */
const NUM_THREADS = 17;

/** What Linux says of a process, its state first (the third field of proc(5)); undefined when nobody has this pid, a zombie least of all. */
export function statOf(pid: number): readonly string[] | undefined {
  return livingStat(readUnlessGone(`/proc/${pid}/stat`));
}

/** The same from the text of its file. */
export function livingStat(text: string): readonly string[] | undefined {
  // The second field is the name in brackets and may hold blanks and brackets itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (!state || state === 'X') return undefined;
  return state === 'Z' && Number(fields[NUM_THREADS]) <= 1 ? undefined : fields;
}

/** Empty for a process that ended or that is none of ours to read; any other failure, such as too many open files, must not pass for an end. */
export function readUnlessGone(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
