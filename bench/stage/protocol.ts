/** What the bench and its processes say to each other; id 0 answers "are you ready". */
export interface ToChild {
  readonly id: number;
  readonly question: string;
  readonly body: unknown;
}

export type FromChild =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly news: unknown };
