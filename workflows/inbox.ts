import { ApplicationFailure, condition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Mail } from '../definitions/core/decision.ts';
import type { ApplyRequest } from '../definitions/core/messages.ts';
import { applyUpdate, commandUpdate, deleteUpdate, type ObservedRequest, observedUpdate, statusUpdate } from './messages.ts';
import { type Answer, appliedHashOf, objectOf, refusal } from './settle.ts';
import type { ResourceState } from './state.ts';

const MAX_BODY_BYTES = 256 * 1024;
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

  constructor(private readonly state: ResourceState) {}

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
      validator: (body) => checkSize(body),
      description: 'Cleans up and ends the resource',
    });
    setHandler(commandUpdate, (body) => this.ask('command', body), {
      validator: (body) => checkSize(body),
      description: "One of the kind's own verbs: {name, args}",
    });
    setHandler(statusUpdate, (body) => this.ask('status', body), {
      validator: (body) => checkSize(body),
      description: 'Status as reported by a controller outside: {status}',
    });
    setHandler(observedUpdate, (body) => this.ask('observed', body), {
      validator: (body) => this.checkNews(body),
      description: 'What was last seen in the world: {about, value}',
    });
  }

  put(mail: Mail): void {
    const size = sizeOf(mail.body);
    this.state.inbox.push(size > MAX_BODY_BYTES ? { type: 'oversize', via: mail.via, body: { type: mail.type, size } } : mail);
  }

  /** The oldest messages, as many as one decision can take. */
  batch(): readonly Mail[] {
    let bytes = 0;
    const end = this.state.inbox.slice(0, MAX_BATCH).findIndex((mail, index) => {
      bytes += sizeOf(mail.body);
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
    this.state.inbox.push({ type, via: 'update', body, ticket });
    await condition(() => this.answers.has(ticket));
    const answer = this.answers.get(ticket);
    this.answers.delete(ticket);
    return valueOf(answer) as T;
  }

  /** While mail is waiting, what it will change is not known yet: then everything is let in. */
  private checkApply(body: ApplyRequest): void {
    checkSize(body);
    const { state } = this;
    if (!this.isEmpty || !state.spec || state.deletion) return;
    const { only, metadata, requestId } = objectOf(body) as ApplyRequest;
    const isRepeated = requestId !== undefined && state.answered.some(([known]) => known === requestId);
    if (only === 'create' || isRepeated) return;
    const expected = objectOf(metadata).resourceVersion;
    if (expected !== undefined && expected !== state.meta.resourceVersion) {
      valueOf(refusal('Conflict', `expected version ${String(expected)}, found ${state.meta.resourceVersion}`, state));
    }
    if (!state.rejected && state.appliedHash === appliedHashOf(body)) valueOf(refusal('Unchanged', 'nothing would change', state));
  }

  /** News that is known already costs nothing. */
  private checkNews(body: ObservedRequest): void {
    checkSize(body);
    const known = this.state.observed[body.about];
    if (this.isEmpty && known && JSON.stringify(known.value) === JSON.stringify(body.value)) {
      valueOf(refusal('Unchanged', 'this is known', this.state));
    }
  }
}

function valueOf(answer: Answer | undefined): unknown {
  if (answer && 'value' in answer) return answer.value;
  const { type, message, details } = answer?.failure ?? { type: 'Internal', message: 'no answer' };
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details: details ? [details] : [] });
}

function checkSize(body: unknown): void {
  const size = sizeOf(body);
  if (size > MAX_BODY_BYTES) valueOf(refusal('TooLarge', `the message has ${size} bytes, at most ${MAX_BODY_BYTES} are allowed`));
}

function sizeOf(body: unknown): number {
  return body === undefined ? 0 : JSON.stringify(body).length;
}
