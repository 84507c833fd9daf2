import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../../definitions/core/limits.ts';
import { pathOf } from '../../../definitions/core/path.ts';
import { UsageError } from '../usage-error.ts';
import { itemOf, type Parsed, placeOf, type SourceDocument, TOO_DEEP } from './document.ts';
import { finderOf } from './lines.ts';

/** A document that names what it describes, and where it was found. */
export interface ManifestDocument {
  readonly source: SourceDocument;
  readonly manifest: RawManifest;
}

/** Unchecked but for the fields that name it. */
export interface RawManifest {
  /** ColonyOS writes definitions without it. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly spec?: unknown;
  readonly [key: string]: unknown;
}

/** A document that cannot be used; the message names file, document and line. */
export interface BrokenDocument {
  readonly problem: string;
  /** Of one whose kind is known: of this more can be said. */
  readonly judgeable?: { readonly source: SourceDocument; readonly value: { readonly kind: string } };
}

export interface Manifests {
  readonly documents: readonly ManifestDocument[];
  readonly broken: readonly BrokenDocument[];
}

export interface ReadOptions {
  readonly files: readonly string[];
  readonly recursive: boolean;
  readonly stdin: () => Promise<string>;
}

/** Far beyond what any kind admits; only keeps what walks the value from running out of stack. */
const MAX_DEPTH = 200;
/** How many Lists may stand in each other. */
const MAX_LISTS = 20;
/** How much is told of a path that nobody would read to its end. */
const SHOWN_DEPTH = 6;
const DEFINITION_KINDS = ['ResourceDefinition', 'CustomResourceDefinition'];
const EXTENSIONS = /\.(ya?ml|json)$/i;
const STDIN = '-';

/** Reads files, folders and `-`. A broken document is set aside with its place; the others are still read. */
export async function readManifests({ files, recursive, stdin }: ReadOptions): Promise<Manifests> {
  if (files.length === 0) throw new UsageError('which file? Say -f FILE, -f FOLDER or -f - for standard input');
  const documents: ManifestDocument[] = [];
  const broken: BrokenDocument[] = [];
  for (const file of files) {
    for (const { name, text } of await textsOf(file, recursive, stdin)) {
      for (const found of await documentsOf(name, text)) {
        if ('problem' in found) broken.push(found);
        else documents.push(found);
      }
    }
  }
  if (documents.length + broken.length === 0) throw new UsageError(`there is no resource in ${files.map(nameOf).join(', ')}`);
  return { documents, broken };
}

const nameOf = (file: string): string => (file === STDIN ? 'standard input' : file);

async function textsOf(file: string, recursive: boolean, stdin: () => Promise<string>): Promise<{ name: string; text: string }[]> {
  if (file === STDIN) return [{ name: nameOf(file), text: await stdin() }];
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'ENOENT' ? `the path ${JSON.stringify(file)} does not exist` : `${file} cannot be read: ${error.code}`,
    );
  });
  const names = info.isDirectory() ? await manifestsIn(file, recursive) : [file];
  if (names.length === 0) {
    throw new UsageError(`there is no .yaml, .yml or .json file in ${file}`, recursive ? undefined : 'Say -R to look in its folders too.');
  }
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(name, 'utf8') })));
}

async function manifestsIn(folder: string, recursive: boolean): Promise<string[]> {
  const names: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const isFolder = (await stat(path)).isDirectory();
    if (isFolder && recursive) names.push(...(await manifestsIn(path, recursive)));
    if (!isFolder && EXTENSIONS.test(name)) names.push(path);
  }
  return names;
}

async function documentsOf(file: string, text: string): Promise<(ManifestDocument | BrokenDocument)[]> {
  const found: (ManifestDocument | BrokenDocument)[] = [];
  for (const { source, parsed } of await parsedOf(file, text)) {
    if ('problem' in parsed) found.push({ problem: `${placeOf(source, parsed.line)}: ${parsed.problem}` });
    else for (const item of itemsOf(source, parsed.value)) found.push(await manifestOf(item));
  }
  return found;
}

async function parsedOf(file: string, text: string): Promise<{ source: SourceDocument; parsed: Parsed }[]> {
  const { looksLikeJson, splitJson, parseJson, lineAt } = await import('./json.ts');
  const source = (index: number, count: number, part: string, lineOffset: number): SourceDocument => ({
    file,
    index: index + 1,
    numbered: count > 1,
    lines: finderOf(part, lineOffset),
  });
  if (looksLikeJson(file, text)) {
    const spans = splitJson(text);
    return spans.map((span, index) => {
      const part = text.slice(span.start, span.end);
      const parsed = tooLarge(part) ?? parseJson(text, span);
      return { source: source(index, spans.length, part, lineAt(text, span.start) - 1), parsed };
    });
  }
  const { splitYaml, parseYaml } = await import('./yaml.ts');
  const parts = splitYaml(text);
  return parts.map((part, index) => {
    const parsed = tooLarge(part.text) ?? parseYaml(part.text);
    const moved = 'problem' in parsed && parsed.line !== undefined ? { ...parsed, line: parsed.line + part.lineOffset } : parsed;
    return { source: source(index, parts.length, part.text, part.lineOffset), parsed: moved };
  });
}

function tooLarge(text: string): Parsed | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.manifestBytes) return undefined;
  return { problem: `it has ${bytes} bytes; a manifest may have ${limits.manifestBytes}` };
}

/** A value that should be a manifest, and where it stands. */
interface Item {
  readonly source: SourceDocument;
  readonly value: unknown;
}

/** `kind: List` stands for its items, so that the output of `get -o yaml` can be applied again; a List among them for its own. */
function itemsOf(source: SourceDocument, value: unknown, depth = 0): readonly Item[] {
  const list = value as { kind?: unknown; items?: unknown } | null;
  const isList = typeof list === 'object' && list !== null && typeof list.kind === 'string' && list.kind.endsWith('List');
  if (!isList || !Array.isArray(list.items) || depth === MAX_LISTS) return [{ source, value }];
  return list.items.flatMap((item, index) => itemsOf(itemOf(source, `items[${index}]`), item, depth + 1));
}

async function manifestOf({ source, value }: Item): Promise<ManifestDocument | BrokenDocument> {
  const at = async (path = ''): Promise<string> => placeOf(source, (await source.lines())(path));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `${await at()}: a manifest is an object, this is not` };
  const deep = pathBelow(value, MAX_DEPTH);
  if (deep) return { problem: `${await at()}: ${pathOf('', deep.slice(0, SHOWN_DEPTH))}… ${TOO_DEEP}` };
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  const name = typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>).name : undefined;
  const namespace = typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>).namespace : undefined;
  const judgeable = { judgeable: { source, value: { ...value, kind: String(kind), metadata: metadata ?? {} } } };
  const missing = [
    ...(isText(apiVersion) || (apiVersion === undefined && isDefinition({ kind })) ? [] : ['apiVersion']),
    ...(isText(kind) ? [] : ['kind']),
    ...(isText(name) ? [] : ['metadata.name']),
  ];
  if (missing.length > 0) {
    const problem = `${await at(missing[0])}: ${missing.join(', ')} must be given, as text that is not empty`;
    return { problem, ...(missing.join() === 'metadata.name' ? judgeable : {}) };
  }
  if (namespace !== undefined && !isText(namespace))
    return { problem: `${await at('metadata.namespace')}: metadata.namespace must be text that is not empty`, ...judgeable };
  return { source, manifest: value as RawManifest };
}

/** True for what registers a kind, in ColonyOS's spelling or Kubernetes's. */
export const isDefinition = ({ kind }: { readonly kind?: unknown }): boolean => DEFINITION_KINDS.includes(String(kind));

/** The way to something that is nested deeper than that; undefined when nothing is. */
function pathBelow(value: unknown, depth: number): readonly PropertyKey[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return [];
  for (const [key, inner] of Object.entries(value)) {
    const path = pathBelow(inner, depth - 1);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
