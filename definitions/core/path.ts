import { quote } from './quote.ts';

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$-]{0,99}$/;

/** Writes a path as people read it: `spec.ports[0].name`, `metadata.labels["a/b"]`. */
export function pathOf(root: string, segments: readonly PropertyKey[]): string {
  let path = root;
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else if (typeof segment === 'string' && PLAIN.test(segment)) path += path === '' ? segment : `.${segment}`;
    else path += `[${quote(String(segment))}]`;
  }
  return path;
}
