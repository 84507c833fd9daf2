import { apiVersionOf } from '../../definitions/core/kind.ts';
import type { KnownKind } from './api.ts';
import { UnknownKindError } from './errors.ts';
import { nearMisses } from './match-name.ts';

const MAX_NAMED = 20;
const REGISTER = 'Register it with `colony crd create -f FILE`.';

/** Nothing is called that. */
export function unknownWord(word: string, kinds: readonly KnownKind[]): UnknownKindError {
  const near = nearMisses(kinds, word);
  const message = `there is no kind called ${JSON.stringify(word)}`;
  const typed = (some: readonly KnownKind[]): string[] => some.map((known) => typedName(known, kinds));
  return near.length > 0
    ? new UnknownKindError(message, near.map(fullName), `Did you mean ${typed(near.slice(0, 3)).join(' or ')}?`)
    : new UnknownKindError(message, kinds.map(fullName), `Known kinds: ${list(typed(kinds))}.`);
}

/** The plural; with the group where another kind has the same. */
const typedName = ({ kind, names: { plural } }: KnownKind, kinds: readonly KnownKind[]): string =>
  kinds.filter((other) => other.names.plural === plural).length > 1 ? `${plural}.${kind.group}` : plural;

/** Several kinds are called that. */
export function ambiguousWord(word: string, kinds: readonly KnownKind[]): UnknownKindError {
  const names = kinds.map(({ kind, names: { plural } }) => `${plural}.${kind.group}`);
  return new UnknownKindError(`several kinds are called ${JSON.stringify(word)}`, kinds.map(fullName), `Say which: ${list(names)}.`);
}

/** No such kind in that group, or not in that version. */
export function unknownApi(apiVersion: string, kind: string, kinds: readonly KnownKind[]): UnknownKindError {
  const [group] = apiVersion.split('/');
  const sameName = kinds.filter(({ names }) => names.kind === kind);
  const sameGroup = sameName.filter((known) => known.kind.group === group);
  if (sameGroup.length > 0) {
    const versions = sameGroup.map((known) => known.kind.version);
    return new UnknownKindError(
      `${kind} of ${group} has no version ${apiVersion.slice((group ?? '').length + 1)}; known: ${list(versions)}`,
      sameGroup.map(fullName),
      `Use ${sameGroup.map((known) => apiVersionOf(known.kind)).join(' or ')}.`,
    );
  }
  const message = `the kind ${kind} of ${apiVersion} is not defined`;
  if (sameName.length > 0) return new UnknownKindError(message, sameName.map(fullName), `There is ${list(sameName.map(fullName))}.`);
  const near = nearMisses(kinds, kind);
  if (near.length > 0) return new UnknownKindError(message, near.map(fullName), `Did you mean ${list(near.slice(0, 3).map(fullName))}?`);
  return new UnknownKindError(message, kinds.map(fullName), `Known kinds: ${list(kinds.map(fullName))}. ${REGISTER}`);
}

const fullName = ({ kind, names }: KnownKind): string => `${apiVersionOf(kind)} ${names.kind}`;

function list(words: readonly string[]): string {
  const shown = words.slice(0, MAX_NAMED).join(', ');
  return words.length > MAX_NAMED ? `${shown} and ${words.length - MAX_NAMED} more` : shown;
}
