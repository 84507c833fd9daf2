import { listed } from '../core/quote.ts';
import type { Node } from './node.ts';

const MAX_CHARS = 500;

/** One thing after the other, as one text: what ends a sentence stands only at its end. */
export const joined = (parts: readonly string[]): string =>
  parts
    .map((part, index) => (index === parts.length - 1 ? part : part.replace(/\.$/, '')))
    .join('; ')
    .slice(0, MAX_CHARS);

/** How a step failed. */
export const failureText = ({ path, message }: Node): string => `${path} failed${message ? `: ${message}` : ''}`;

/** That steps have ended, and which of them failed although nobody minded. */
export function endedText(who: string, nodes: readonly Node[]): string {
  const failed = outermostFailures(nodes).map(({ path }) => path);
  return failed.length === 0 ? `${who} have ended well.` : `${who} have ended; ${listed(failed)} failed, which was allowed.`;
}

const outermostFailures = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node) => (node.phase === 'Failed' ? [node] : outermostFailures(node.children ?? [])));
