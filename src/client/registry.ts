import { parseApiVersion, workflowIdOf } from '../../definitions/core/identity.ts';
import { isOlder } from '../../definitions/core/is-older.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import type { KnownKind } from './api.ts';
import { find } from './get.ts';
import { inParallel } from './in-parallel.ts';
import { matches } from './match-name.ts';
import { pause } from './pause.ts';
import { existing } from './queries.ts';
import type { Reader } from './read.ts';
import { newestRows } from './row.ts';
import type { Session } from './session.ts';
import { ambiguousWord, unknownApi, unknownWord } from './unknown-kind.ts';
import { rows } from './visibility.ts';

/** How old a look at the definitions may be. */
const FRESH_MS = 5_000;
/** The index may show a definition a moment late: how long an unknown kind is looked for. */
const LOOK_FOR_MS = 1_500;
/** Definitions may have 160 kB each. */
const PAGE_SIZE = 50;
const QUERIES_AT_ONCE = 8;

export const DEFINITION = { kind: 'ResourceDefinition', plural: 'resourcedefinitions', group: 'colonies.io' } as const;

type Built = typeof import('./definitions.ts') & typeof import('../../definitions/kinds.ts');

/** What kinds there are: those built in, and those that people have defined. */
export class Registry {
  #built: Promise<Built> | undefined;
  #defined: readonly KnownKind[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(
    private readonly session: Session,
    private readonly reader: Reader,
  ) {}

  async all(): Promise<readonly KnownKind[]> {
    await this.#refresh(FRESH_MS);
    return [...(await this.#builtIn()), ...this.#defined];
  }

  /** The one kind that a word names; built-in ones win. Throws UnknownKindError. */
  async named(word: string): Promise<KnownKind> {
    const found = await this.allNamed(word);
    if (found.length > 1) throw ambiguousWord(word, found);
    return found[0]!;
  }

  /** The kinds that a word names, of several groups perhaps; built-in ones win. Throws UnknownKindError. */
  async allNamed(word: string): Promise<readonly KnownKind[]> {
    const ours = matches(await this.#builtIn(), word);
    if (ours.length > 0) return ours;
    const found = await this.#lookFor(() => nonEmpty(matches(this.#defined, word)));
    if (found) return found;
    const { orphansNamed } = await import('./orphaned-kind.ts');
    const orphans = await orphansNamed(this.session, word, await this.all());
    if (orphans.length > 0) return orphans;
    throw unknownWord(word, await this.all());
  }

  /**
   * The kind of an apiVersion and kind, as manifests name it. Throws UnknownKindError.
   *
   * `orphaned` also finds kinds whose definition is gone while resources are left.
   */
  async of(apiVersion: string, kind: string, { orphaned = true } = {}): Promise<KnownKind> {
    const { group, version } = parseApiVersion(apiVersion) ?? {};
    const isIt = (known: KnownKind): boolean => known.names.kind === kind && known.kind.group === group && known.kind.version === version;
    const builtIn = await this.#builtIn();
    const ours = builtIn.find(isIt);
    if (ours) return ours;
    const found = (await this.#lookFor(() => this.#defined.find(isIt))) ?? (orphaned ? await this.#orphan(kind, group) : undefined);
    if (found) return found;
    throw unknownApi(apiVersion, kind, [...builtIn, ...this.#defined]);
  }

  /** Takes a definition that was just written for known, before the index shows it. */
  async learn(spec: DefinitionSpec): Promise<void> {
    const { definedKind, isBuiltIn } = await this.#load();
    if (isBuiltIn(spec.group, spec.names.kind)) return;
    const isOther = ({ kind, names }: KnownKind): boolean => kind.group !== spec.group || names.plural !== spec.names.plural;
    this.#defined = firstOfEach([...this.#defined.filter(isOther), definedKind(spec)]);
  }

  /** The name of another definition that has the kind of this one already: resources of both could not be told apart. */
  async holderOf({ group, names }: DefinitionSpec): Promise<string | undefined> {
    await this.#refresh(FRESH_MS);
    const other = this.#defined.find(
      (known) => known.kind.group === group && known.names.kind === names.kind && known.names.plural !== names.plural,
    );
    return other && (await this.reread(other)) ? `${other.names.plural}.${group}` : undefined;
  }

  /** What was read is no longer believed: a definition went away. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** The kind as its definition stands now, strongly consistent; undefined when there is none. */
  async reread({ kind, names }: KnownKind): Promise<KnownKind | undefined> {
    const name = `${names.plural}.${kind.group}`;
    const identity = { plural: DEFINITION.plural, group: DEFINITION.group, name };
    const target = { identity, workflowId: workflowIdOf(identity), subject: `${DEFINITION.kind} ${name}` };
    const spec = (await find(this.session, this.reader, target))?.spec as DefinitionSpec | undefined;
    if (!spec) return undefined;
    await this.learn(spec);
    return (await this.#load()).definedKind(spec);
  }

  async #builtIn(): Promise<readonly KnownKind[]> {
    const { builtInKinds, builtInKind } = await this.#load();
    return builtInKinds.map(builtInKind);
  }

  /** Schemas are heavy to load and a client that does nothing yet should not wait for them. */
  #load(): Promise<Built> {
    this.#built ??= Promise.all([import('./definitions.ts'), import('../../definitions/kinds.ts')]).then(([a, b]) => ({ ...a, ...b }));
    return this.#built;
  }

  async #orphan(kind: string, group: string | undefined): Promise<KnownKind | undefined> {
    const { orphanOf } = await import('./orphaned-kind.ts');
    return orphanOf(this.session, kind, group);
  }

  async #lookFor<Found>(find: () => Found | undefined): Promise<Found | undefined> {
    await this.#refresh(FRESH_MS);
    const until = Date.now() + LOOK_FOR_MS;
    for (let pauseMs = 0; ; pauseMs = pauseMs === 0 ? 100 : pauseMs * 2) {
      const found = find();
      if (found) return found;
      if (Date.now() + pauseMs > until) return undefined;
      await pause(pauseMs);
      await this.#refresh(0);
    }
  }

  async #refresh(maxAgeMs: number): Promise<void> {
    if (performance.now() - this.#readAt < maxAgeMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const startedAt = performance.now();
    const found = newestRows(await rows(this.session, existing({ kind: DEFINITION }), PAGE_SIZE));
    const definitions = await inParallel(found, QUERIES_AT_ONCE, (row) => this.reader.complete(row));
    const { definedKind, isBuiltIn } = await this.#load();
    this.#defined = firstOfEach(
      definitions
        .filter((definition) => definition !== undefined)
        .sort((a, b) => (isOlder(a.metadata, b.metadata) ? -1 : 1))
        .map((definition) => definition.spec as unknown as DefinitionSpec)
        .filter((spec) => spec?.names !== undefined && !isBuiltIn(spec.group, spec.names.kind))
        .map((spec) => definedKind(spec)),
    );
    this.#readAt = startedAt;
  }
}

/** A kind is what its oldest definition says: a later one of the same kind would hide the resources that are there. */
function firstOfEach(kinds: readonly KnownKind[]): readonly KnownKind[] {
  const first = new Map<string, KnownKind>();
  for (const known of kinds) {
    const key = `${known.names.kind}.${known.kind.group}`;
    if (!first.has(key)) first.set(key, known);
  }
  return [...first.values()];
}

const nonEmpty = <T>(found: readonly T[]): readonly T[] | undefined => (found.length > 0 ? found : undefined);
