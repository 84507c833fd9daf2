import { quick } from './quick/main.ts';

const argv = process.argv.slice(2);
// In the bundle both are files of their own; everything but the quick way is loaded only when it is needed.
if (!(await quick(argv))) await (await import('./whole.ts')).main(argv);
