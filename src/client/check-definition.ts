import { builtInKinds, versionsOf } from '../../definitions/kinds.ts';
import type { DefinitionSpec } from '../../definitions/resource-definition/schema.ts';
import { readDefinition } from '../../definitions/resource-definition/shapes.ts';
import type { Checked } from './check.ts';
import type { Context } from './context.ts';
import { instancesOf } from './count-instances.ts';
import { ConflictError, InvalidError } from './errors.ts';
import { find } from './get.ts';
import { matches } from './match-name.ts';
import { type Target, targetOf } from './target.ts';

/** Checks a definition at the door. Throws InvalidError with every problem, ConflictError while resources hold to its version. */
export async function checkDefinition(context: Context, input: unknown, subject: string): Promise<Checked> {
  const read = readDefinition(input);
  if ('issues' in read) throw new InvalidError(read.issues, subject);
  const { manifest, warnings } = read;
  const { group, names } = manifest.spec;
  const holder = await context.registry.holderOf(manifest.spec);
  if (holder) {
    const message = `is taken: ${names.kind} of ${group} is defined by ${holder}`;
    throw new InvalidError([{ path: 'spec.names.kind', message }], subject);
  }
  const known = await context.registry.of(manifest.apiVersion, manifest.kind);
  const target = targetOf(known.kind, manifest.metadata);
  await keepVersion(context, target, manifest.spec);
  return { known, manifest, spec: manifest.spec, target, warnings: [...warnings, ...builtInWarnings(manifest.spec)] };
}

/** There is one version of a kind, and its resources say which they are of: under another they would be refused, every one. */
async function keepVersion({ session, reader }: Context, target: Target, next: DefinitionSpec): Promise<void> {
  const before = (await find(session, reader, target))?.spec as DefinitionSpec | undefined;
  if (!before?.names || before.version === next.version) return;
  const instances = await instancesOf(session, next);
  if (!instances) return;
  throw new ConflictError(
    `${target.subject} cannot change from version ${before.version} to ${next.version}: ${instances}`,
    `Keep version ${before.version}, or delete those first and apply them again as ${next.group}/${next.version}.`,
  );
}

/** What a person should know whose kind, or one of whose words, colony has itself. */
export function builtInWarnings({ group, version, names }: DefinitionSpec): readonly string[] {
  const ours = versionsOf(group, names.kind);
  if (ours.length > 0) {
    const which = ours.includes(version) ? '' : `, in version ${ours.join(', ')}`;
    return [`colony handles ${names.kind} of ${group} itself${which}; the definition is kept and changes nothing`];
  }
  const words = [...new Set([names.plural, names.singular, names.kind.toLowerCase(), ...names.shortNames])];
  return words.flatMap((word) => {
    const [meant] = matches(
      builtInKinds.map((kind) => ({ kind, names: kind.names })),
      word,
    );
    return meant ? [`${word} means ${meant.names.kind} of ${meant.kind.group}; for this kind say ${names.plural}.${group}`] : [];
  });
}
