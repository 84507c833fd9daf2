import type { Resource } from '../../../definitions/core/resource.ts';
import type { Row } from '../row.ts';

const CALLS_AT_ONCE = 16;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

interface Debt {
  readonly row: Row;
  attempts: number;
  dueAt: number;
  isBeingRead: boolean;
}

/**
 * Resources that the index shows only in part and that are read from their workflows beside the informer's rounds, so that one
 * workflow that does not answer holds up nobody else.
 *
 * Guarantees: what was dropped or overtaken by a newer row is never handed on.
 */
export class CatchUp {
  readonly #debts = new Map<string, Debt>();
  #reading = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly read: (row: Row) => Promise<Resource | undefined | 'silent'>,
    private readonly handOn: (row: Row, resource: Resource | undefined) => void,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  has(workflowId: string): boolean {
    return this.#debts.has(workflowId);
  }

  owe(row: Row): void {
    const known = this.#debts.get(row.workflowId);
    if (known && (known.row.version ?? 0) >= (row.version ?? 0)) return;
    this.#debts.set(row.workflowId, { row, attempts: 0, dueAt: 0, isBeingRead: false });
    this.#pump();
  }

  drop(workflowId: string): void {
    this.#debts.delete(workflowId);
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    let next = Number.POSITIVE_INFINITY;
    for (const debt of this.#debts.values()) {
      if (this.#reading >= CALLS_AT_ONCE) return; // whoever lands pumps again
      if (debt.isBeingRead) continue;
      if (debt.dueAt <= Date.now()) void this.#pay(debt);
      else next = Math.min(next, debt.dueAt);
    }
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#pump(), Math.max(1, next - Date.now())).unref();
  }

  async #pay(debt: Debt): Promise<void> {
    this.#reading += 1;
    debt.isBeingRead = true;
    const answer = await this.read(debt.row).catch(() => 'silent' as const);
    this.#reading -= 1;
    debt.isBeingRead = false;
    const isOwed = this.#debts.get(debt.row.workflowId) === debt;
    if (isOwed && answer === 'silent') {
      debt.attempts += 1;
      debt.dueAt = Date.now() + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** debt.attempts);
    } else if (isOwed && answer !== 'silent') {
      this.#debts.delete(debt.row.workflowId);
      this.handOn(debt.row, answer);
    }
    this.#pump();
  }
}
