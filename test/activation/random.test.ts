import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApplyAnswer } from '../../definitions/core/messages.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { Run, type RunOptions, signalJob, updateJob } from './run.ts';
import { widgetDecider, widgetId } from './widget.ts';

const options: RunOptions = { workflowId: widgetId, workflowType: 'Widget', decide: widgetDecider({ events: 200 }) };

/** What can happen to a resource at any moment. */
const move = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('update'), cas: fc.boolean(), repeat: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('signal', 'together', 'badSignal', 'badUpdate', 'reconcile', 'nonsense') }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('think') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('land', 'crash', 'ring', 'wait') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollOver') }) },
) as fc.Arbitrary<{ do: string; cas?: boolean; repeat?: boolean }>;

/** Plays a script against runs of the real bundle, one after the other as they hand over, and remembers what was promised. */
class Play {
  readonly acknowledged = new Map<string, ApplyAnswer>();
  private readonly asked = new Map<string, string>();
  private written = 0;

  private constructor(private run: Run) {}

  static async start(): Promise<Play> {
    const play = new Play(await Run.start(options, [updateJob('apply', { spec: { size: 0, color: 'v0' }, requestId: 'v0' }, 'v0')]));
    play.asked.set('v0', 'v0');
    await play.run.think();
    return play;
  }

  async step(action: { do: string; cas?: boolean; repeat?: boolean }): Promise<void> {
    const { run } = this;
    const [flying] = run.activities.keys();
    switch (action.do) {
      case 'update': {
        const color = action.repeat ? `v${this.written}` : this.next();
        const version = ((await run.query('resource')) as Resource | null)?.metadata.resourceVersion;
        const metadata = action.cas && version ? { metadata: { resourceVersion: version } } : {};
        await this.update({ ...metadata, spec: { size: 1, color }, requestId: color }, color);
        break;
      }
      case 'signal':
        await run.signal('apply', { spec: { size: 2, color: this.next() } });
        break;
      case 'together':
        await run.activate([
          signalJob('apply', { spec: { size: 3, color: this.next() } }),
          signalJob('reconcile'),
          this.job({ spec: { size: 3, color: this.next() } }),
        ]);
        break;
      case 'badSignal':
        await run.signal('apply', { spec: { size: 'x' } });
        break;
      case 'badUpdate':
        await run.update('apply', { spec: { nonsense: true } }, `bad${++this.written}`);
        break;
      case 'think':
        await run.thinkOnce();
        break;
      case 'land':
        if (flying !== undefined) await run.land(flying, { status: { n: this.written } });
        break;
      case 'crash':
        if (flying !== undefined) await run.crash(flying, 'Boom', 'broken');
        break;
      case 'ring':
        await run.ring();
        break;
      case 'wait':
        run.now += 10_000;
        break;
      case 'rollOver':
        run.historyLength = Math.max(run.historyLength, 250);
        break;
      default:
        await run.signal(action.do);
    }
    await this.collect();
  }

  /** Lets everything come to rest. */
  async rest(): Promise<Resource> {
    for (let i = 0; i < 50; i++) {
      await this.run.think();
      await this.collect();
      const [flying] = this.run.activities.keys();
      if (flying !== undefined) await this.run.land(flying, {});
      else if (this.run.timers.size > 0) await this.run.ring();
      else if (!this.run.hasOpenDecision) break;
    }
    await this.collect();
    await this.run.replay();
    return (await this.run.query('resource')) as Resource;
  }

  get unanswered(): string[] {
    return [...this.asked.keys()].filter((id) => !this.settled.has(id));
  }

  private readonly settled = new Set<string>();

  private next(): string {
    this.written += 1;
    return `v${this.written}`;
  }

  private job(body: Record<string, unknown>): ReturnType<typeof updateJob> {
    const id = `u${this.asked.size}`;
    this.asked.set(id, String((body.spec as { color: string }).color));
    return updateJob('apply', body, id);
  }

  private update(body: Record<string, unknown>, _color: string): Promise<void> {
    return this.run.activate([this.job(body)]);
  }

  /** Takes the answers, and follows the resource into its next run. */
  private async collect(): Promise<void> {
    for (const [id, answer] of this.run.answers) {
      this.settled.add(id);
      if (answer.value) this.acknowledged.set(id, answer.value as ApplyAnswer);
    }
    if (this.run.end?.kind !== 'continued') return;
    await this.run.replay();
    this.run = await Run.start({ ...options, input: this.run.end.value });
    await this.run.think();
  }

  colorOf(id: string): string | undefined {
    return this.asked.get(id);
  }
}

describe('whatever happens, in whatever order', () => {
  it('every run replays word for word, every update is answered, and what was acknowledged holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 60 }), async (script) => {
        const play = await Play.start();
        for (const action of script) await play.step(action);
        const resource = await play.rest();
        expect(play.unanswered).toEqual([]);
        const generations = new Map<number, Set<string | undefined>>();
        for (const [id, { generation, operation }] of play.acknowledged) {
          if (operation === 'unchanged') continue;
          generations.set(generation, (generations.get(generation) ?? new Set()).add(play.colorOf(id)));
          expect(generation).toBeLessThanOrEqual(resource.metadata.generation);
        }
        for (const colors of generations.values()) expect(colors.size, 'one generation is one write').toBe(1);
        const last = generations.get(resource.metadata.generation);
        if (last) expect([...last]).toContain(resource.spec.color);
        expect(resource.status?.observedGeneration).toBe(resource.metadata.generation);
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
