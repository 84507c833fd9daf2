import { checkWith, unknownField } from '../issues/index.ts';
import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import type { Schema } from './schema.ts';
import type { Convert } from './to-zod.ts';
import { levelOf, unknownFields } from './unknown-fields.ts';
import type { Work } from './work.ts';

interface Tools {
  readonly work: Work;
  readonly convert: Convert;
}

/** A default that would be refused where it is filled in is an error of the definition, not of whoever relies on it. */
export function defaultIssues(schema: Schema, path: string, tools: Tools): readonly Issue[] {
  const inner = [
    ...[...(schema.properties ?? [])].map(([name, one]) => [one, pathOf(path, ['properties', name])] as const),
    ...(schema.additional ? [[schema.additional, pathOf(path, ['additionalProperties'])] as const] : []),
    ...(schema.items ? [[schema.items, pathOf(path, ['items'])] as const] : []),
  ];
  return [...ownIssues(schema, pathOf(path, ['default']), tools), ...inner.flatMap(([one, where]) => defaultIssues(one, where, tools))];
}

function ownIssues(schema: Schema, path: string, { work, convert }: Tools): readonly Issue[] {
  const { fallback } = schema;
  if (!fallback) return [];
  const tooMuch = { path, message: 'costs too much to check against the schema around it' };
  work.open();
  if (!work.affords(schema, fallback.value)) return [tooMuch];
  const checked = checkWith(convert(schema), fallback.value, path);
  const issues: Issue[] = 'issues' in checked ? [...checked.issues] : [];
  unknownFields(levelOf([schema]), fallback.value, (where, known) =>
    issues.push({ path: pathOf(path, where), message: unknownField(known) }),
  );
  return work.isOverdrawn ? [...issues, tooMuch] : issues;
}
