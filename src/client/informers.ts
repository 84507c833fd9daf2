import type { KnownKind } from './api.ts';
import { temporalSource } from './informer/source.ts';
import { Informer, type InformerOptions } from './informer.ts';
import type { Reader } from './read.ts';
import type { Session } from './session.ts';

/** The informers of one connection: one for everything if somebody asked for that, else one for each kind that is watched. */
export class Informers {
  #whole: Informer | undefined;
  readonly #byKind = new Map<string, Informer>();

  constructor(
    private readonly session: Session,
    private readonly reader: Reader,
    private readonly options: InformerOptions = {},
  ) {}

  /** Everything. Guarantees: from now on all watches of this connection share it. */
  whole(): Promise<Informer> {
    this.#whole ??= new Informer(temporalSource(this.session, this.reader, {}), this.options);
    return this.#whole.ready();
  }

  /** One kind; a short list for a process that watches little. */
  of({ kind: { group }, names: { kind, plural } }: KnownKind): Promise<Informer> {
    if (this.#whole) return this.#whole.ready();
    const key = `${plural}.${group}`;
    const informer =
      this.#byKind.get(key) ?? new Informer(temporalSource(this.session, this.reader, { kind: { kind, plural, group } }), this.options);
    this.#byKind.set(key, informer);
    return informer.ready();
  }

  close(): void {
    this.#whole?.close();
    for (const informer of this.#byKind.values()) informer.close();
  }
}
