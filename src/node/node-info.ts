import { randomUUID } from 'node:crypto';

/** Which node answers, and since when: results are ordered within one boot of its process. */
export interface NodeInfo {
  readonly node: string;
  readonly pid: number;
  /** New for every start of the process. */
  readonly bootId: string;
  readonly platform: string;
}

/** The activity `nodeInfo`: says who serves a node's task queue. */
export function createNodeInfo(node: string): () => Promise<NodeInfo> {
  const info: NodeInfo = { node, pid: process.pid, bootId: randomUUID(), platform: `${process.platform}/${process.arch}` };
  return async () => info;
}
