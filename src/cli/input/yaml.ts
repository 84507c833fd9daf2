import { type Document, isAlias, isMap, isScalar, LineCounter, type Node, parseDocument, visit, type YAMLMap } from 'yaml';
import { type LineOf, type Parsed, TOO_DEEP, tooLargeNumber } from './document.ts';

const CORE_TAGS = new Set(['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`));

/**
 * Cuts a stream at its `---` and `...` lines, which YAML reserves for exactly this. So each document is measured before
 * it is parsed, and one that is broken leaves its neighbours readable.
 */
export function splitYaml(text: string): readonly { readonly text: string; readonly lineOffset: number }[] {
  const parts: { text: string; lineOffset: number }[] = [];
  let lines: string[] = [];
  let lineOffset = 0;
  const flush = (nextOffset: number): void => {
    if (lines.some((line) => /^\s*[^\s#]/.test(line))) parts.push({ text: lines.join('\n'), lineOffset });
    lines = [];
    lineOffset = nextOffset;
  };
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const marker = /^(?:---|\.\.\.)(?=\s|$)/.exec(line);
    if (!marker) {
      lines.push(line);
      continue;
    }
    flush(index);
    lines.push(line.startsWith('---') ? `   ${line.slice(3)}` : '');
  }
  flush(0);
  return parts;
}

/** Parses one document strictly: no aliases, no tags of one's own, no key twice, nothing that JSON could not hold. Lines count from 1. */
export function parseYaml(text: string): Parsed {
  const lineCounter = new LineCounter();
  const line = (offset: number | undefined): { line?: number } => (offset === undefined ? {} : { line: lineCounter.linePos(offset).line });
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, schema: 'core', merge: false });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) return { problem: faultOf(fault.code, fault.message), ...line(fault.pos[0]) };
    const refused = refusedIn(document);
    if (refused) return { problem: refused.problem, ...line(refused.node?.range?.[0]) };
    return { value: document.toJS({ maxAliasCount: 0 }) as unknown };
  } catch (error) {
    if (error instanceof RangeError) return { problem: `it ${TOO_DEEP}` };
    throw error;
  }
}

function faultOf(code: string, message: string): string {
  if (message.includes('call stack')) return `it ${TOO_DEEP}`;
  if (code === 'TAG_RESOLVE_FAILED') return 'tags of your own (such as !name) are not allowed';
  return `this is not YAML: ${message.split('\n')[0]}`;
}

function refusedIn(document: Document.Parsed): { node: Node | null; problem: string } | undefined {
  let found: { node: Node | null; problem: string } | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value !== null) return undefined;
      found = { node: key as Node | null, problem: 'a key must be text' };
      return visit.BREAK;
    },
    Node: (_, node) => {
      const problem = problemOf(node);
      found = problem ? { node, problem } : isMap(node) ? keyTwice(node) : undefined;
      return found && visit.BREAK;
    },
  });
  return found;
}

/** Also keys that only JavaScript spells alike, as 1 and "1": one of them would be lost. */
function keyTwice({ items }: YAMLMap): { node: Node; problem: string } | undefined {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name)) return { node: key, problem: `the key ${JSON.stringify(name)} stands twice in one object` };
    seen.add(name);
  }
  return undefined;
}

function problemOf(node: Node): string | undefined {
  if (isAlias(node)) return `the alias *${node.source} is not allowed; write the value out`;
  if ('tag' in node && typeof node.tag === 'string' && !CORE_TAGS.has(node.tag)) return `the tag ${node.tag} is not allowed`;
  if (!isScalar(node) || typeof node.value !== 'number') return undefined;
  if (!Number.isFinite(node.value)) return `${node.source ?? node.value} is no number that JSON can hold`;
  const isWhole = Number.isInteger(node.value) && !/[.e]/i.test(node.source ?? '');
  return isWhole && !Number.isSafeInteger(node.value) ? tooLargeNumber(node.source) : undefined;
}

/** Finds the line, counted from 1 within the text, where a path such as `spec.ports[0].name` stands, or its nearest parent that does. */
export function linesIn(text: string): LineOf {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  return (path) => {
    const keys = [...path.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g)].map(([, index, quoted, name]) =>
      index === undefined ? (quoted ?? name) : Number(index),
    );
    for (let length = keys.length; length > 0; length--) {
      const node = document.getIn(keys.slice(0, length), true) as Node | undefined;
      if (node?.range) return lineCounter.linePos(node.range[0]).line;
    }
    return undefined;
  };
}
