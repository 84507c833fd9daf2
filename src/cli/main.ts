import { processIo } from './io.ts';
import { quickly } from './quick/quickly.ts';

const io = processIo();
const argv = process.argv.slice(2);
// In the bundle this file stands alone and everything else is loaded only when it is needed.
const code = (await quickly(argv, io)) ?? (await (await import('./whole.ts')).whole(argv, io));
// The connection would keep the process alive; an answer that has been printed has nothing more to wait for.
process.stdout.write('', () => process.exit(code));
