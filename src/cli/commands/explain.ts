import { z } from 'zod';
import { apiVersionOf } from '../../../definitions/core/kind.ts';
import type { KnownKind } from '../../client/api.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import type { Io } from '../io.ts';
import { parseFormat } from '../output/format.ts';
import { lineWidth } from '../output/line-width.ts';
import { listOf, renderValue } from '../output/objects.ts';
import { mapValue, rulesOf, type Schema, typeOf } from '../output/schema-words.ts';
import { renderTable } from '../output/table.ts';
import { isRefusal } from '../report.ts';
import { findKind } from '../selection.ts';
import { UsageError } from '../usage-error.ts';

export async function run(context: Context, [target = '']: readonly string[]): Promise<undefined> {
  const format = parseFormat(context.globals.output, ['table', 'json', 'yaml']);
  const { kinds, path } = await split(context, target);
  const found = await schemasAt(context, kinds, path);
  if (format.as === 'table') return void context.io.out(found.map(({ known, schema }) => page(context.io, known, path, schema)).join('\n'));
  const [one, ...more] = found;
  const named = found.map(({ known, schema }) => ({ apiVersion: apiVersionOf(known.kind), kind: known.names.kind, schema }));
  context.io.out(await renderValue(more.length === 0 ? one?.schema : listOf(named), format));
}

interface Found {
  readonly known: KnownKind;
  readonly schema: Schema;
}

/** What stands at the path; where kinds share a name, in those that have it. None has: an error that says what there is in the first. */
async function schemasAt(context: Context, kinds: readonly KnownKind[], path: readonly string[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  let missing: UsageError | undefined;
  for (const known of kinds) {
    const whole: Schema = { type: 'object', properties: { spec: await schemaOf(context, known) }, required: ['spec'] };
    try {
      found.push({ known, schema: path.reduce<Schema>((at, field, index) => step(at, field, path.slice(0, index + 1)), whole) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing ??= error;
    }
  }
  if (found.length === 0 && missing) throw missing;
  return found;
}

/** `widget.spec.size`, where the kind itself may hold dots: `widgets.example.com.spec.size`. */
async function split(context: Context, target: string): Promise<{ kinds: readonly KnownKind[]; path: readonly string[] }> {
  const colony = await context.colony();
  const [kind = '', rest = ''] = target.split(/\.(?=spec(?:\.|$))(.*)/s);
  try {
    return { kinds: await colony.resolveAll(kind), path: rest === '' ? [] : rest.split('.') };
  } catch (error) {
    const [first = '', ...path] = target.split('.');
    if (!isRefusal(error, 'UnknownKind') || path.length === 0) throw error;
    return { kinds: await colony.resolveAll(first), path: ['spec', ...path] };
  }
}

/** A definition says its schema itself; that of a built-in kind is made of its zod. */
async function schemaOf(context: Context, { builtIn, kind, names }: KnownKind): Promise<Schema> {
  if (builtIn) return unfolded(z.toJSONSchema(kind.spec, { io: 'input', unrepresentable: 'any' }) as Rooted);
  const { resources } = await findKind(await context.colony(), 'ResourceDefinition');
  const { spec } = await resources.get(`${names.plural}.${kind.group}`);
  return (spec.schema ?? {}) as Schema;
}

/** A schema that may speak of its own parts by name. */
interface Rooted extends Schema {
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** How often what holds itself is told again: steps within steps. */
const FOLDS = 2;

/** Parts that are named are put where they are named, as deep as anybody asks. */
function unfolded({ $defs = {}, ...schema }: Rooted): Schema {
  const unfold = (value: unknown, left: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => unfold(item, left));
    const { $ref, ...rest } = value as { readonly $ref?: string };
    const named = $ref === undefined ? undefined : $defs[$ref.replace('#/$defs/', '')];
    if (named) return left > 0 ? { ...(unfold(named, left - 1) as object), ...rest } : rest;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, unfold(field, left)]));
  };
  return unfold(schema, FOLDS) as Schema;
}

function step(schema: Schema, field: string, path: readonly string[]): Schema {
  const inside = insideOf(schema);
  const found = Object.hasOwn(inside.properties ?? {}, field) ? inside.properties?.[field] : mapValue(inside);
  if (!found)
    throw new UsageError(
      `there is no field ${path.join('.')}`,
      `Known here: ${Object.keys(inside.properties ?? {}).join(', ') || 'none'}.`,
    );
  return found;
}

function page(io: Io, known: KnownKind, path: readonly string[], schema: Schema): string {
  const spec = path.length === 0 ? schema.properties?.spec : undefined;
  const rows = [...rowsOf(schema), ...(spec ? rowsOf(spec, 'spec.') : [])];
  const description = path.length === 0 ? known.kind.description : schema.description;
  return [
    `KIND:       ${escapeLine(known.names.kind)}\nAPIVERSION: ${escapeLine(apiVersionOf(known.kind))}\n`,
    path.length > 0
      ? `FIELD:      ${escapeLine(path.join('.'))} <${typeOf(schema)}>${rulesOf(schema) ? ` ${escapeLine(rulesOf(schema))}` : ''}\n`
      : '',
    description ? `\n${escapeLine(description)}\n` : '',
    rows.length > 0 ? `\n${renderTable(['FIELD', 'TYPE', 'REQUIRED', 'ALLOWED'], rows, { width: lineWidth(io) })}` : '',
    path.length === 0 && known.kind.commands ? `\nCommands: ${Object.keys(known.kind.commands).join(', ')}\n` : '',
  ].join('');
}

function rowsOf(schema: Schema, prefix = ''): string[][] {
  const inside = insideOf(schema);
  return Object.entries(inside.properties ?? {}).map(([name, field]) => [
    `${prefix}${name}`,
    typeOf(field),
    inside.required?.includes(name) ? 'yes' : '',
    rulesOf(field),
  ]);
}

/** Fields of a list are those of its items. */
const insideOf = (schema: Schema): Schema => (schema.type === 'array' && schema.items ? schema.items : schema);
