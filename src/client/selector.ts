import { InvalidError } from './errors.ts';

/** Labels of one resource. */
export type Labels = Readonly<Record<string, string>>;

/** A parsed Kubernetes label selector: true for the labels it picks. */
export type Selector = (labels: Labels) => boolean;

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const KEY = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${NAME}`;
const ABSENT = new RegExp(`^!\\s*(${KEY})$`);
const PRESENT = new RegExp(`^(${KEY})$`);
const IN_SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const COMPARED = new RegExp(`^(${KEY})\\s*(==|=|!=|>|<)\\s*(.*)$`);
const VALUE = new RegExp(`^(?:${NAME})?$`);
const MAX_CHARS = 4_096;

/**
 * Reads `app=x,tier!=db,env in (a,b),zone notin (c),gpu,!old,cores>4`; nothing or blanks pick everything.
 *
 * As in Kubernetes, `!=` and `notin` also pick resources that do not have the label. Throws InvalidError.
 */
export function parseSelector(text: string | undefined): Selector {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return () => true;
  if (trimmed.length > MAX_CHARS) throw invalid(`is longer than ${MAX_CHARS} characters`);
  const requirements = split(trimmed).map(parseRequirement);
  return (labels) => requirements.every((picks) => picks(labels));
}

/** At the commas that stand outside of parentheses. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')') depth--;
    if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  if (depth !== 0) throw invalid(`has unbalanced parentheses in "${text}"`);
  return [...parts, text.slice(start)].map((part) => part.trim());
}

function parseRequirement(part: string): Selector {
  const absent = ABSENT.exec(part);
  if (absent) return (labels) => !Object.hasOwn(labels, absent[1]!);
  const present = PRESENT.exec(part);
  if (present) return (labels) => Object.hasOwn(labels, present[1]!);
  const inSet = IN_SET.exec(part);
  if (inSet) return inSetOf(inSet[1]!, inSet[3]!.split(',').map(labelValue), inSet[2] === 'in');
  const compared = COMPARED.exec(part);
  if (!compared)
    throw invalid(`cannot read "${part}"; allowed are key=value, key!=value, key in (a,b), key notin (a,b), key, !key, key>n, key<n`);
  const [, key, operator, value] = compared as unknown as [string, string, string, string];
  if (operator === '>' || operator === '<') return orderOf(key, operator, value.trim());
  return inSetOf(key, [labelValue(value)], operator !== '!=');
}

function inSetOf(key: string, values: readonly string[], wanted: boolean): Selector {
  const set = new Set(values);
  return (labels) => (Object.hasOwn(labels, key) && set.has(labels[key]!)) === wanted;
}

function orderOf(key: string, operator: '>' | '<', text: string): Selector {
  if (!/^-?\d+$/.test(text)) throw invalid(`"${key}${operator}${text}" needs a whole number`);
  const limit = Number(text);
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? labels[key]! : '';
    if (!/^-?\d+$/.test(value)) return false;
    return operator === '>' ? Number(value) > limit : Number(value) < limit;
  };
}

function labelValue(text: string): string {
  const value = text.trim();
  if (!VALUE.test(value)) throw invalid(`"${value}" is not a label value (up to 63 letters, digits, "-", "_", ".")`);
  return value;
}

const invalid = (message: string): InvalidError => new InvalidError([{ path: 'labels', message }], 'the label selector');
