import type { z } from 'zod';
import type { Issue } from '../kind.ts';
import { pathOf } from '../path.ts';
import { listed, shorten } from '../quote.ts';
import { sentenceOf, typeName, unknownField } from './sentence.ts';

type ZodIssue = z.core.$ZodIssue;

const MAX_ISSUES = 50;
/** How zod begins the messages that nobody has written for a schema of ours. */
const ZODS_OWN = /^(Invalid |Too (small|big)|Unrecognized key)/;

/**
 * Lists everything that is wrong, each with its path and one sentence, at most 50 of them.
 *
 * Caveats: an error alone no longer knows the values; parse through `checkWith` and the sentences show them.
 */
export function issuesOf(error: z.ZodError, root: string): readonly Issue[] {
  const found = new Map<string, Issue>();
  for (const issue of withoutLooserBounds(error.issues)) {
    for (const { path, message } of flatten(issue, [])) {
      const where = pathOf(root, path);
      found.set(`${where}\n${message}`, { path: where, message });
    }
  }
  const issues = [...found.values()];
  if (issues.length <= MAX_ISSUES) return issues;
  const rest = issues.length - MAX_ISSUES;
  return [...issues.slice(0, MAX_ISSUES), { path: root, message: `has at least ${rest} more problem${rest === 1 ? '' : 's'}` }];
}

/** For zod an integer has bounds by birth, the largest that are exact; who breaks a bound of the schema is told only that one. */
function withoutLooserBounds(issues: readonly ZodIssue[]): readonly ZodIssue[] {
  const placeOf = ({ code, path }: ZodIssue): string => `${code} ${pathOf('', path)}`;
  const bounded = new Set(issues.filter((issue) => isBound(issue) && !isInborn(issue)).map(placeOf));
  return issues.filter((issue) => !isInborn(issue) || !bounded.has(placeOf(issue)));
}

const isBound = ({ code }: ZodIssue): boolean => code === 'too_big' || code === 'too_small';

const isInborn = (issue: ZodIssue): boolean =>
  (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) ||
  (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER);

interface Flat {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function flatten(issue: ZodIssue, parents: readonly PropertyKey[]): Flat[] {
  const path = [...parents, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const message = ZODS_OWN.test(issue.message) ? unknownField(undefined) : issue.message;
      return issue.keys.map((key) => ({ path: [...path, key], message }));
    }
    case 'invalid_union':
      return flattenUnion(issue, path);
    case 'invalid_element':
      return withoutLooserBounds(issue.issues).flatMap((inner) => flatten(inner, path));
    default:
      return [{ path, message: messageOf(issue) }];
  }
}

function messageOf(issue: ZodIssue): string {
  if (!ZODS_OWN.test(issue.message)) return issue.message;
  return / received undefined$/.test(issue.message) ? 'is required' : sentenceOf(issue);
}

/** Reports the one form that was meant, if the others are of another type altogether; else what all forms want. */
function flattenUnion(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): Flat[] {
  const forms = issue.errors.filter((form) => form.length > 0);
  if (forms.length === 0) return [{ path, message: messageOf(issue) }];
  const meant = forms.filter((form) => !form.some(isOfOtherType));
  const [only] = meant.length > 0 ? meant : forms;
  if (only && (meant.length === 1 || forms.length === 1)) return withoutLooserBounds(only).flatMap((inner) => flatten(inner, path));
  if (meant.length > 1) return [{ path, message: eachForm(meant) }];
  return [{ path, message: anyForm(forms) }];
}

const isOfOtherType = (issue: ZodIssue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value' || Boolean(wrongType(issue)));

/** All forms want another type or value: one list of what is wanted. */
function anyForm(forms: readonly (readonly ZodIssue[])[]): string {
  const issues = forms.flatMap((form) => form.filter(isOfOtherType));
  const given = issues.map(({ message }) => / \(got .*\)$/s.exec(message)?.[0]).find(Boolean) ?? '';
  if (issues.some(({ message }) => message === 'is required')) return 'is required';
  const values = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []));
  const types = new Set(issues.flatMap(typesOf));
  const wanted = [...types, ...(values.length > 0 ? [`one of ${listed(values)}`] : [])];
  return `must be ${wanted.join(' or ')}${given}`;
}

function typesOf(issue: ZodIssue): readonly string[] {
  if (issue.code !== 'invalid_type') return wrongType(issue) ?? [];
  return [/^must be (.*) \(got /s.exec(issue.message)?.[1] ?? typeName(issue.expected)];
}

/** Issues of our own converter say so by a parameter: the types that would fit. */
function wrongType(issue: ZodIssue): readonly string[] | undefined {
  return issue.code === 'custom' ? (issue.params?.types as readonly string[] | undefined) : undefined;
}

function eachForm(forms: readonly (readonly ZodIssue[])[]): string {
  const said = forms.slice(0, 4).map((form) => {
    const flat = withoutLooserBounds(form).flatMap((inner) => flatten(inner, []));
    return flat
      .slice(0, 3)
      .map(({ path, message }) => `${pathOf('', path) || 'it'} ${message}`)
      .join(' and ');
  });
  return shorten(`fits none of the allowed forms: ${[...new Set(said)].join('; or ')}`, 400);
}
