/** The door of a node's agent: `serveNodeDoor({ path: placeNodeDoor(home, node), runtimes, log })`. */
export { findNodeDoor, placeNodeDoor } from './address.ts';
export { DoorTaken } from './listen.ts';
export { type NodeDoor, type NodeDoorOptions, serveNodeDoor } from './serve.ts';
