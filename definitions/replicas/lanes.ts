/** The lane of what one node has of a resource. */
export const laneOf = (node: string): string => `${INSTANCES}${node}`;

/** The node that a lane speaks of; undefined for other lanes. */
export const nodeOfLane = (lane: string): string | undefined => (lane.startsWith(INSTANCES) ? lane.slice(INSTANCES.length) : undefined);

/** The task queue of the node's agent. */
export const queueOf = (node: string): string => `colony-node-${node}`;

/** The lane of what a tag was resolved to. */
export const IMAGE = 'image';

/** The lane where `pause` and `resume` are remembered: `{paused, at}`. */
export const ROLLOUT = 'rollout';

const INSTANCES = 'instances/';
