/** The typed client: `const colony = await connect()`. */
export { requestState as RequestState } from '../../definitions/request-state/index.ts';
export type * from './api.ts';
export type { ApplyResult } from './apply-all.ts';
export { connect } from './connect.ts';
export * from './errors.ts';
export type { Change } from './informer/change.ts';
export { Informer, type InformerOptions } from './informer.ts';
export { parsePath, setAt } from './path.ts';
export { parseSelector, type Selector } from './selector.ts';
