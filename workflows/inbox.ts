import { ApplicationFailure, condition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Mail } from '../definitions/core/decision.ts';
import type { ApplyRequest } from '../definitions/core/messages.ts';
import { jsonBytes } from '../definitions/core/replayed/bytes.ts';
import { applyUpdate, commandUpdate, deleteUpdate, type ObservedRequest, observedUpdate, statusUpdate } from './messages.ts';
import { Unreadable } from './payload-converter.ts';
import { type Answer, appliedHashOf, objectOf, refusal } from './settle.ts';
import type { ResourceState } from './state.ts';

/** A manifest of the size that is allowed, and what is said beside it: whether the manifest fits is for the decider to say. */
const MAX_BODY_BYTES = 256 * 1024 + 16 * 1024;
const MAX_BATCH_BYTES = 384 * 1024;
const MAX_BATCH = 50;

/**
 * Takes messages in and hands answers out; decides nothing.
 *
 * Guarantees: messages keep the order in which they came; handlers touch only the inbox and fail only with
 * ApplicationFailure; a validator refuses only what no later thought could accept, so that a refusal costs no history.
 */
export class Inbox {
  private readonly answers = new Map<number, Answer>();
  private nextTicket = 1;
  /** Of the updates taken since the loop last set this to 0. */
  takenBytes = 0;

  /** @param isFlying says whether a lane is in the air: its landing brings newer news than anybody has now. */
  constructor(
    private readonly state: ResourceState,
    private readonly isFlying: (about: string) => boolean,
  ) {}

  /** How many updates this run has taken; the server limits them. */
  get updatesTaken(): number {
    return this.nextTicket - 1;
  }

  get isEmpty(): boolean {
    return this.state.inbox.length === 0;
  }

  /** One handler for all signals, before any update: in a run's first task the SDK delivers in order of registration. */
  open(): void {
    setDefaultSignalHandler((type, body) => this.put({ type, via: 'signal', body }));
    setHandler(applyUpdate, (body) => this.ask('apply', body), {
      validator: (body) => this.checkApply(body),
      description: 'Makes this manifest, or just {spec}, the wished state',
    });
    setHandler(deleteUpdate, (body) => this.ask('delete', body ?? {}), {
      validator: (body) => check(body),
      description: 'Cleans up and ends the resource',
    });
    setHandler(commandUpdate, (body) => this.ask('command', body), {
      validator: (body) => check(body),
      description: "One of the kind's own verbs: {name, args}",
    });
    setHandler(statusUpdate, (body) => this.ask('status', body), {
      validator: (body) => check(body),
      description: 'Status as reported by a controller outside: {status}',
    });
    setHandler(observedUpdate, (body) => this.ask('observed', body), {
      validator: (body) => this.checkNews(body),
      description: 'What was last seen in the world: {about, value}',
    });
  }

  put(mail: Mail): void {
    this.state.inbox.push(fitting(mail));
  }

  /** The oldest messages, as many as one decision can take. */
  batch(): readonly Mail[] {
    let bytes = 0;
    const end = this.state.inbox.slice(0, MAX_BATCH).findIndex((mail, index) => {
      bytes += jsonBytes(mail.body);
      return index > 0 && bytes > MAX_BATCH_BYTES;
    });
    return this.state.inbox.slice(0, end < 0 ? MAX_BATCH : end);
  }

  /** Takes a decided batch out, puts back what must be decided again, and wakes those who wait. */
  close(batch: readonly Mail[], again: readonly Mail[], answers: readonly { readonly mail: Mail; readonly answer: Answer }[]): void {
    this.state.inbox.splice(0, batch.length, ...again);
    for (const { mail, answer } of answers) if (mail.ticket !== undefined) this.answers.set(mail.ticket, answer);
  }

  private async ask<T>(type: string, body: unknown): Promise<T> {
    const ticket = this.nextTicket++;
    this.takenBytes += body === undefined ? 0 : jsonBytes(body);
    this.state.inbox.push({ type, via: 'update', body, ticket });
    await condition(() => this.answers.has(ticket));
    const answer = this.answers.get(ticket);
    this.answers.delete(ticket);
    return unwrap(answer) as T;
  }

  /** While mail is waiting, what it will change is not known yet: then everything is let in. */
  private checkApply(body: ApplyRequest): void {
    check(body);
    const { state } = this;
    if (!this.isEmpty || !state.spec || state.deletion) return;
    const { only, metadata, requestId } = objectOf(body) as ApplyRequest;
    const isRepeated = requestId !== undefined && state.answered.some(([known]) => known === requestId);
    if (only === 'create' || isRepeated) return;
    const expected = objectOf(metadata).resourceVersion;
    if (expected !== undefined && expected !== state.meta.resourceVersion) {
      unwrap(refusal('Conflict', `expected version ${String(expected).slice(0, 100)}, found ${state.meta.resourceVersion}`, state));
    }
    if (!state.rejected && state.appliedHash === appliedHashOf(body)) unwrap(refusal('Unchanged', 'nothing would change', state));
  }

  /** News that is known already, or that somebody is just fetching, costs nothing. */
  private checkNews(body: ObservedRequest): void {
    check(body);
    const { about, value, uid } = objectOf(body);
    if (uid !== undefined && uid !== this.state.meta.uid) unwrap(refusal('NotFound', 'the resource of that uid is gone', this.state));
    if (this.isFlying(String(about))) unwrap(refusal('Busy', 'a flight will bring newer news', this.state));
    const known = this.state.observed[String(about)];
    if (!this.isEmpty || !known) return;
    if (isOlder(value, known.value)) unwrap(refusal('Unchanged', 'newer news is known', this.state));
    if (isSameNews(value, known.value)) unwrap(refusal('Unchanged', 'this is known', this.state));
  }
}

function isSameNews(news: unknown, known: unknown): boolean {
  return JSON.stringify(undated(news)) === JSON.stringify(undated(known));
}

/** `asOf` says when something was seen, not what. */
function undated(value: unknown): unknown {
  const { asOf, ...seen } = objectOf(value);
  return asOf === undefined ? value : seen;
}

/** Two sightings of one boot of one agent can be put in order. */
function isOlder(news: unknown, known: unknown): boolean {
  const then = objectOf(objectOf(news).asOf);
  const last = objectOf(objectOf(known).asOf);
  return typeof then.boot === 'string' && then.boot === last.boot && Number(then.seq) <= Number(last.seq);
}

/** What an answer holds, or the failure it stands for. */
function unwrap(answer: Answer | undefined): unknown {
  if (answer && 'value' in answer) return answer.value;
  const { type, message, details } = answer?.failure ?? { type: 'Internal', message: 'no answer' };
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details: details ? [details] : [] });
}

function check(body: unknown): void {
  const unfit = unfitness(body);
  if (unfit) unwrap(refusal(unfit.type, unfit.message));
}

/** The message as it can be stored: of one that cannot, only that it came and what is wrong with it. */
export function fitting(mail: Mail): Mail {
  const unfit = unfitness(mail.body);
  return unfit ? { type: mail.type, via: mail.via, body: null, unfit } : mail;
}

function unfitness(body: unknown): Mail['unfit'] {
  if (body instanceof Unreadable) return { type: 'Invalid', message: `the message cannot be read: ${body.reason}` };
  const bytes = body === undefined ? 0 : jsonBytes(body);
  if (bytes <= MAX_BODY_BYTES) return undefined;
  return { type: 'TooLarge', message: `the message has ${bytes} bytes, at most ${MAX_BODY_BYTES} are allowed` };
}
