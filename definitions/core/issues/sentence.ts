import type { z } from 'zod';
import { listed, quote, word } from '../quote.ts';

/** What zod says is wrong, before or after it was made a part of an error; only fresh ones know the value. */
export type Complaint = z.core.$ZodRawIssue | z.core.$ZodIssue;

/**
 * Says in one plain sentence what is wrong and what is allowed. Fits as zod's `error` option: then the sentence also shows
 * the value and knows the fields of a strict object.
 */
export function sentenceOf(complaint: Complaint): string {
  const issue = complaint as z.core.$ZodIssue & { readonly input?: unknown };
  const isMissing = 'input' in issue && issue.input === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return isMissing ? 'is required' : `must be ${expected(issue)}${got(issue)}`;
    case 'invalid_value':
      return isMissing ? `is required: ${oneOf(issue.values)}` : `must be ${oneOf(issue.values)}${got(issue)}`;
    case 'too_small':
      return bound(issue, issue.inclusive === false ? '>' : '≥', 'at least', issue.minimum);
    case 'too_big':
      return bound(issue, issue.inclusive === false ? '<' : '≤', 'at most', issue.maximum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}${got(issue)}`;
    case 'invalid_format':
      return `must ${format(issue)}${got(issue)}`;
    case 'unrecognized_keys':
      return unknownField(knownFields(complaint));
    case 'invalid_union':
      return union(issue);
    case 'invalid_key':
      return `is not a name that is allowed here: it ${issue.issues[0]?.message ?? 'does not fit'}`;
    default:
      return issue.message ?? 'is not allowed';
  }
}

/** The sentence about a field that is not in the schema. */
export function unknownField(known: readonly string[] | undefined): string {
  if (!known) return 'unknown field';
  return known.length === 0 ? 'unknown field; no fields are known here' : `unknown field; known fields: ${listed(known)}`;
}

/** A type as a sentence names it. */
export function typeName(type: string): string {
  switch (type) {
    case 'int':
    case 'integer':
      return 'an integer';
    case 'array':
    case 'tuple':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'never':
      return 'left out';
    default:
      return `a ${type}`;
  }
}

/** ` (got "x")`, where the value is known. */
export function got(issue: object): string {
  return 'input' in issue ? ` (got ${quote(issue.input)})` : '';
}

const oneOf = (values: readonly unknown[]): string => (values.length === 1 ? word(values[0]) : `one of ${listed(values)}`);

function expected(issue: z.core.$ZodIssueInvalidType): string {
  const { inst } = issue as { inst?: { _zod: { def: { format?: string; checks?: { _zod: { def: { format?: string } } }[] } } } };
  const formats = inst ? [inst._zod.def.format, ...(inst._zod.def.checks ?? []).map((check) => check._zod.def.format)] : [];
  const isInteger = formats.some((format) => format?.includes('int'));
  return typeName(isInteger && issue.expected === 'number' ? 'int' : issue.expected);
}

function bound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, sign: string, words: string, limit: number | bigint): string {
  const { input } = issue as { readonly input?: unknown };
  const size = sizeOf(input);
  const has = size === undefined ? '' : ` (has ${size})`;
  switch (issue.origin) {
    case 'string':
      return limit === 1 && issue.code === 'too_small' ? 'must not be empty' : `must have ${words} ${count(limit, 'character')}${has}`;
    case 'array':
    case 'set':
      return `must have ${words} ${count(limit, 'item')}${has}`;
    case 'object':
    case 'map':
      return `must have ${words} ${count(limit, 'field')}${has}`;
    default:
      return `must be ${sign} ${limit}${got(issue)}`;
  }
}

const count = (limit: number | bigint, noun: string): string => `${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`;

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

function format(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const { format: kind, prefix, suffix, includes } = issue as z.core.$ZodIssueInvalidStringFormat & Record<string, unknown>;
  if (kind === 'regex') return `match the pattern ${word(issue.pattern ?? '')}`;
  if (kind === 'starts_with') return `start with ${quote(prefix)}`;
  if (kind === 'ends_with') return `end with ${quote(suffix)}`;
  if (kind === 'includes') return `contain ${quote(includes)}`;
  return `be a valid ${FORMAT_NAMES[kind] ?? kind}`;
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  datetime: 'date and time such as 2025-10-20T10:00:00Z',
  date: 'date such as 2025-10-20',
  time: 'time of day such as 10:00:00Z',
  duration: 'duration',
  email: 'e-mail address',
  url: 'URL',
  uuid: 'UUID',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  cidrv4: 'IPv4 address range such as 10.0.0.0/8',
  hostname: 'host name',
  base64: 'base64 text',
};

function union(issue: z.core.$ZodIssueInvalidUnion): string {
  const { discriminator, options, input } = issue as { discriminator?: string; options?: unknown[]; input?: Record<string, unknown> };
  if (discriminator && options) {
    const value = input?.[discriminator];
    if (!input) return `must be ${oneOf(options)}`;
    return value === undefined ? `is required: ${oneOf(options)}` : `must be ${oneOf(options)} (got ${quote(value)})`;
  }
  if (issue.inclusive === false) return 'fits more than one of the allowed forms; it must fit exactly one';
  return `fits none of the allowed forms${got(issue)}`;
}

function knownFields(complaint: Complaint): readonly string[] | undefined {
  const shape = (complaint as { inst?: { _zod: { def: { shape?: object } } } }).inst?._zod.def.shape;
  return shape && Object.keys(shape);
}
