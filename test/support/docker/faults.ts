/** What can be done to one request on its way. */
export type Fault =
  | { readonly kind: 'loseAnswer' }
  | { readonly kind: 'refuse'; readonly status: number; readonly message: string }
  | { readonly kind: 'delay'; readonly until: () => Promise<unknown> }
  | { readonly kind: 'stale'; readonly calls: number }
  | { readonly kind: 'partial'; readonly isKept: (entry: unknown, index: number) => boolean }
  | { readonly kind: 'stall' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'garbage'; readonly body: string }
  | { readonly kind: 'drip'; readonly everyMs: number };

/** The engine does it, and the connection is cut instead of an answer. */
export const loseAnswer: Fault = { kind: 'loseAnswer' };

/** Never answered, never done. */
export const stall: Fault = { kind: 'stall' };

/** The engine does it, and the connection is cut in the middle of the answer. */
export const reset: Fault = { kind: 'reset' };

/** Not done: the proxy says no in the engine's name. */
export function refuse(status: number, message = 'refused by the test'): Fault {
  return { kind: 'refuse', status, message };
}

/** Done later, or when that has come true: also when nobody waits for it any more. */
export function delay(wait: number | Promise<unknown>): Fault {
  return { kind: 'delay', until: () => (typeof wait === 'number' ? new Promise((wake) => setTimeout(wake, wait)) : wait) };
}

/** For `GET /containers/json`: the answer of so many calls ago (with the same query), or the oldest that is known. */
export function stale(calls = 1): Fault {
  return { kind: 'stale', calls };
}

/** A list from which entries are missing; the first one, unless told. */
export function partial(isKept: (entry: unknown, index: number) => boolean = (_, index) => index > 0): Fault {
  return { kind: 'partial', isKept };
}

/** Not done, and answered with 200 and something that nobody can read. */
export function garbage(body = '{"Id": "…'): Fault {
  return { kind: 'garbage', body };
}

/** Done, and answered a byte at a time. */
export function drip(everyMs: number): Fault {
  return { kind: 'drip', everyMs };
}
