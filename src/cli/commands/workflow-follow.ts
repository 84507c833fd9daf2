export { follow as run } from './workflow.ts';
