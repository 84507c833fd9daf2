import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { annotations } from '../definitions/core/annotations.ts';
import { cloneRoot } from '../src/config.ts';

const root = cloneRoot();
const LAYERS = ['definitions', 'workflows', 'activities', 'src'] as const;
type Layer = (typeof LAYERS)[number];

interface Import {
  readonly file: string;
  /** A package, or a path from the root. */
  readonly target: string;
  readonly typeOnly: boolean;
}

/** What workflows/ may run of definitions/: such code is replayed with old histories, and stands apart so that everybody sees it. */
const REPLAYED = 'definitions/core/replayed/';

/** Which imports a layer's files may have; tests beside the code may also use test tools. */
const allowed: Record<Layer, (from: Import) => boolean> = {
  definitions: ({ target }) => /^(zod|re2js|croner|@marcbachmann\/cel-js)$|^@noble\/hashes\/|^definitions\//.test(target),
  workflows: ({ target, typeOnly }) =>
    /^@temporalio\/(workflow|common)$|^workflows\//.test(target) || target.startsWith(typeOnly ? 'definitions/core/' : REPLAYED),
  activities: ({ target }) => !/^(src|workflows|test|bench|examples)\/|^@temporalio\/(workflow|worker)$/.test(target),
  src: ({ target }) => !/^(test|bench|examples)\//.test(target),
};

const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /['"]node:/,
  /\bprocess\./,
  /\bset(Timeout|Interval)\b/,
  /\bfetch\(/,
];

describe('layers', () => {
  it.each(LAYERS)('%s imports only what its place allows', (layer) => {
    const strays = sourcesOf(layer)
      .flatMap(importsOf)
      .filter((each) => !allowed[layer](each));
    expect(strays.map(({ file, target, typeOnly }) => `${file} imports ${target}${typeOnly ? ' (type)' : ''}`)).toEqual([]);
  });

  it('nobody imports src/ but src, test, bench and examples', () => {
    const files = filesUnder('.').filter((file) => !/^(src|test|bench|examples)\/|^vitest\.config\.ts$/.test(file));
    const strays = files.flatMap(importsOf).filter(({ target }) => target.startsWith('src/'));
    expect(strays).toEqual([]);
  });

  it('what is replayed with old histories brings nothing along but plain code of the vocabulary', () => {
    const replayed = sourcesOf('definitions').filter((file) => file.startsWith(REPLAYED));
    expect(replayed).not.toEqual([]);
    const strays = reachedFrom(replayed).filter(({ target }) => !target.startsWith('definitions/core/'));
    expect(strays.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it('no layer says the name of an annotation for itself', () => {
    const names = Object.values(annotations);
    const home = 'definitions/core/annotations.ts';
    const files = LAYERS.flatMap(sourcesOf).filter((file) => file !== home && !file.includes('/test-double/'));
    const echoes = files.flatMap((file) => {
      const code = withoutComments(readFileSync(join(root, file), 'utf8'));
      return names.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(code)).map((name) => `${file}: ${name}`);
    });
    expect(echoes).toEqual([]);
  });

  it('definitions/ has no clock, no dice and no world', () => {
    const stains = sourcesOf('definitions').flatMap((file) => {
      const code = withoutComments(readFileSync(join(root, file), 'utf8'));
      return IMPURE.filter((pattern) => pattern.test(code)).map((pattern) => `${file}: ${pattern.source}`);
    });
    expect(stains).toEqual([]);
  });

  it('sees imports of every form', () => {
    const code = `import a from 'p1';\nimport {\n  b,\n} from "p2";\nimport 'p3';\nexport * from 'p4';\nimport type { C } from 'p5';\nawait import('p6');`;
    const found = importsIn('src/x.ts', code).map(({ target, typeOnly }) => `${target}${typeOnly ? '!' : ''}`);
    expect(found.sort()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5!', 'p6']);
  });
});

const sourcesOf = (layer: Layer): string[] => filesUnder(layer).filter((file) => !file.endsWith('.test.ts'));

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = relative(root, join(root, folder, entry.name));
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : filesUnder(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

const importsOf = (file: string): Import[] => importsIn(file, readFileSync(join(root, file), 'utf8'));

/** All that is imported when these files are run, by whomever. */
function reachedFrom(files: readonly string[]): Import[] {
  const reached = new Set<string>();
  const walk = (file: string): Import[] => {
    if (reached.has(file)) return [];
    reached.add(file);
    const imports = importsOf(file).filter(({ typeOnly }) => !typeOnly);
    return [...imports, ...imports.flatMap(({ target }) => (target.startsWith('definitions/') ? walk(target) : []))];
  };
  return files.flatMap(walk);
}

function importsIn(file: string, text: string): Import[] {
  const code = withoutComments(text);
  const named = [...code.matchAll(/^\s*(?:import|export)\s+(type\s)?[^'";]*?\sfrom\s+['"]([^'"]+)['"]/gm)];
  const bare = [...code.matchAll(/^\s*import\s+()['"]([^'"]+)['"]/gm), ...code.matchAll(/\bimport\(\s*()['"]([^'"]+)['"]/g)];
  return [...named, ...bare].map(([, type, specifier]) => ({ file, target: resolved(file, specifier ?? ''), typeOnly: Boolean(type) }));
}

const resolved = (file: string, specifier: string): string =>
  specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier;

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
