import type { ASTNode } from '@marcbachmann/cel-js';
import { MACROS } from './environment.ts';

export type Node = ASTNode;

/** A call such as `list.exists(x, x > 1)`: over what it runs, what an element is called, and what is computed for each. */
export interface Macro {
  readonly name: string;
  readonly over: Node;
  readonly element: string;
  readonly bodies: readonly Node[];
}

export function macroOf(node: Node): Macro | undefined {
  if (node.op !== 'rcall') return undefined;
  const [name, over, [element, ...bodies]] = node.args;
  return MACROS.has(name) && element?.op === 'id' && bodies.length > 0 ? { name, over, element: element.args, bodies } : undefined;
}

/** A selection from the inside out: `a.b[0]` is `a`, then `a.b`, then `a.b[0]`. */
export function selection(node: Node): readonly [Node, ...Node[]] {
  const steps: Node[] = [];
  let base = node;
  while (base.op === '.' || base.op === '[]') {
    steps.unshift(base);
    base = base.args[0];
  }
  return [base, ...steps];
}

/** What is computed before a node is, as long as it takes all its operands. */
export function operands(node: Node): readonly Node[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case '!_':
    case '-_':
      return [node.args];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    default:
      return node.args;
  }
}
