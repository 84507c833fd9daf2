import type { Resource } from '../../definitions/core/resource.ts';
import type { PendingWork } from '../client/api.ts';
import { pause } from '../client/pause.ts';
import { escapeLine } from './escape.ts';
import type { Io } from './io.ts';
import { humanSpan } from './output/age.ts';
import { inTheAir } from './output/pending.ts';
import { type Outlook, outlookOf } from './output/rollout.ts';
import { isRefusal } from './report.ts';
import { labelOf, type Selected } from './selection.ts';

const LOOK_MS = 300;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export interface Following {
  /** undefined: until it is decided. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** How it ended: as the outlook says, or before anything was decided. */
export interface Followed {
  readonly outlook: Outlook;
  readonly resource?: Resource;
  readonly end: 'decided' | 'timeout' | 'interrupted';
}

/**
 * Looks at a resource until it is as wished or cannot become so, and shows on stderr how far it is: on a terminal one line that
 * is rewritten, else a line for every change.
 */
export async function follow(io: Io, selected: Selected, { timeoutMs, signal }: Following): Promise<Followed> {
  const line = new ProgressLine(io);
  const began = performance.now();
  let hasFailed = false;
  try {
    for (;;) {
      const { resource, outlook, pending } = await look(selected);
      // A failure must be seen twice: a command that was just answered may have taken it back, and its plan is not published yet.
      const isDecided = outlook.state === 'done' || (outlook.state === 'failed' && hasFailed);
      if (isDecided) return { outlook, end: 'decided', ...(resource ? { resource } : {}) };
      hasFailed = outlook.state === 'failed';
      if (!hasFailed) line.show(progressText(selected, outlook, pending));
      if (signal.aborted) return { outlook, end: 'interrupted', ...(resource ? { resource } : {}) };
      const left = timeoutMs === undefined ? LOOK_MS : timeoutMs - (performance.now() - began);
      if (left <= 0) return { outlook, end: 'timeout', ...(resource ? { resource } : {}) };
      await pause(Math.min(LOOK_MS, left), { signal });
    }
  } finally {
    line.end();
  }
}

interface Look {
  readonly resource?: Resource;
  readonly outlook: Outlook;
  readonly pending: readonly PendingWork[];
}

/** What one look shows. */
export async function look({ resources, ref, known }: Selected): Promise<Look> {
  try {
    const [resource, pending] = await Promise.all([resources.get(ref), resources.pending(ref).catch(() => [])]);
    return { resource, outlook: outlookOf(resource), pending };
  } catch (error) {
    if (!isRefusal(error, 'NotFound')) throw error;
    return { outlook: { state: 'failed', message: `${known.names.kind} ${ref.name} does not exist` }, pending: [] };
  }
}

/** `web: 2 of 5 run revision 1a2b; start slots 2-4 on a: 1 of 3 (starting web-…-3)`. */
export function progressText({ ref }: Selected, { message }: Outlook, pending: readonly PendingWork[]): string {
  return `${ref.name}: ${[message, inTheAir(pending)].filter(Boolean).join('; ')}`;
}

/** `deployment.apps.example.com/web: it failed.`, for the end of a following that did not reach its goal. */
export function endSentence(selected: Selected, { outlook, end }: Followed, timeoutMs: number | undefined): string {
  const label = labelOf(selected);
  if (end === 'timeout') return `${label} is not there yet after ${humanSpan(timeoutMs ?? 0)}: ${outlook.message}.`;
  return end === 'interrupted' ? `${label} goes on by itself: ${outlook.message}.` : `${label} failed: ${outlook.message}.`;
}

/** One line on stderr that says how far something is. */
export class ProgressLine {
  #last = '';
  #frame = 0;

  constructor(private readonly io: Io) {}

  show(text: string): void {
    const line = escapeLine(text);
    if (this.io.errIsTerminal) {
      this.#frame += 1;
      const room = Math.max(20, this.io.keyboard.size().columns - 3);
      this.io.err(`\r\u001b[K${FRAMES[this.#frame % FRAMES.length]} ${line.length > room ? `${line.slice(0, room - 1)}…` : line}`);
    } else if (line !== this.#last) this.io.err(`${line}\n`);
    this.#last = line;
  }

  end(): void {
    if (this.io.errIsTerminal && this.#last !== '') this.io.err('\r\u001b[K');
  }
}
