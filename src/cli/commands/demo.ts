import { Stage } from '../../demo/stage.ts';
import { Teller } from '../../demo/teller.ts';
import { TourBroken, tour } from '../../demo/tour.ts';
import type { Context } from '../context.ts';
import { withProgress } from '../progress.ts';
import { EXIT_INTERRUPTED, report } from '../report.ts';

/** `npm run demo`: the life of one resource, told and shown. Needs nothing running and leaves nothing behind. */
export async function run({ io, globals }: Context, _: readonly string[], { fast = false }: { readonly fast?: boolean }): Promise<number> {
  const signal = io.interrupted();
  const teller = new Teller(io, { fast, signal });
  const stage = new Stage((sentence) => teller.story(sentence));
  const interrupted = new Promise<'interrupted'>((resolve) =>
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true }),
  );
  try {
    const shown = (async () => {
      teller.title('colony: custom resources without Kubernetes');
      teller.story('A tour of about a minute, on a Temporal server of its own; nothing of yours is touched.');
      const began = Date.now();
      const ui = await withProgress(
        io,
        () => 'starting Temporal',
        () => stage.startTemporal(),
      );
      await Promise.all([stage.startWorker(), stage.startExecutor()]);
      teller.story(`Temporal, a colony worker and an executor are up (${((Date.now() - began) / 1_000).toFixed(1)} s).`);
      teller.story(`While this runs, the Temporal UI shows the resource: ${ui}`);
      await tour(stage, teller);
      teller.title('That was it');
      teller.story('npm start runs colony for good; examples/ goes on from here, step by step.');
    })();
    if ((await Promise.race([shown, interrupted])) === 'interrupted') return EXIT_INTERRUPTED;
    return 0;
  } catch (error) {
    if (signal.aborted) return EXIT_INTERRUPTED;
    const broken = error instanceof TourBroken ? new Error(`the tour broke off: ${error.message}`) : error;
    return report(io, broken, { verbose: globals.verbose === true });
  } finally {
    await stage.clear();
  }
}
