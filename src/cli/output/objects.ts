import { escapeQuoted, escapeText, hasControls } from '../escape.ts';
import type { Format } from './format.ts';
import { label, type Named } from './identify.ts';
import { evaluate } from './json-path.ts';

/** Pretty JSON in which no character can act on a terminal. */
export const toJson = (value: unknown): string => `${escapeQuoted(JSON.stringify(value, null, 2))}\n`;

/** YAML in which no character can act on a terminal; reads back to the same value. */
export async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import('./yaml.ts');
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  const text = stringify(value, options);
  if (!hasControls(text)) return text;
  return escapeQuoted(stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' }));
}

/** Several objects are a List, as kubectl prints them. */
export const listOf = (items: readonly unknown[]): unknown => ({ apiVersion: 'v1', kind: 'List', items });

/** An object, or a List, in one of the formats that show it whole. */
export async function renderValue(value: unknown, format: Format): Promise<string> {
  switch (format.as) {
    case 'json':
      return toJson(value);
    case 'yaml':
      return toYaml(value);
    case 'name':
      return itemsOf(value)
        .map((item) => `${escapeText(label(item))}\n`)
        .join('');
    case 'jsonpath':
      return `${escapeText(plain(evaluate(format.path, value)))}\n`;
    case 'table':
    case 'wide':
      throw new Error('tables are rendered by their own function');
  }
}

function itemsOf(value: unknown): readonly Named[] {
  const list = value as { kind: string; items?: readonly Named[] };
  return list.kind === 'List' && list.items ? list.items : [value as Named];
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plain).join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
