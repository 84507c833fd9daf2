import { checkWith, unknownField } from '../issues/index.ts';
import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import type { Schema } from './schema.ts';
import { toZod } from './to-zod.ts';
import { levelOf, unknownFields } from './unknown-fields.ts';
import type { Work } from './work.ts';

/** A default that would be refused where it is filled in is an error of the definition, not of whoever relies on it. */
export function defaultIssues(schema: Schema, path: string, work: Work): readonly Issue[] {
  const inner = [
    ...[...(schema.properties ?? [])].map(([name, one]) => [one, pathOf(path, ['properties', name])] as const),
    ...(schema.additional ? [[schema.additional, pathOf(path, ['additionalProperties'])] as const] : []),
    ...(schema.items ? [[schema.items, pathOf(path, ['items'])] as const] : []),
  ];
  return [...ownIssues(schema, pathOf(path, ['default']), work), ...inner.flatMap(([one, where]) => defaultIssues(one, where, work))];
}

function ownIssues(schema: Schema, path: string, work: Work): readonly Issue[] {
  if (!schema.fallback) return [];
  const issues: Issue[] = [];
  work.begin();
  const checked = checkWith(toZod(schema, work), schema.fallback.value, path);
  if ('issues' in checked) issues.push(...checked.issues);
  unknownFields(levelOf([schema]), schema.fallback.value, (where, known) =>
    issues.push({ path: pathOf(path, where), message: unknownField(known) }),
  );
  if (work.isOverdrawn) issues.push({ path, message: 'costs too much to check against the schema around it' });
  return issues;
}
