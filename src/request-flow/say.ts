import { escapeLine } from '../cli/escape.ts';

/** Gets one line for people. */
export type Say = (line: string) => void;

/** `14:03:12.250 worker-1 …`: when, who, what. Jobs may be named by anybody, so nothing in it can move the cursor. */
export function sayAs(who: string, write: (text: string) => void, now: () => number = Date.now): Say {
  return (line) => write(`${new Date(now()).toISOString().slice(11, 23)} ${escapeLine(`${who} ${line}`)}\n`);
}
