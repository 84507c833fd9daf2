import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChildNews } from '../../definitions/core/family.ts';
import type { ApplyAnswer } from '../../definitions/core/messages.ts';
import type { Resource } from '../../definitions/core/resource.ts';
import { Run, type RunOptions, signalJob, updateJob } from './run.ts';
import { ownerId } from './steps.ts';
import { widgetDecider, widgetId } from './widget.ts';

const options: RunOptions = { workflowId: widgetId, workflowType: 'Widget', decide: widgetDecider({ events: 200 }) };

/** Of an owner that wants to hear of it. */
const owned = {
  ownerReferences: [{ apiVersion: 'app.colonies.io/v1', kind: 'Application', name: 'shop', uid: 'owner', controller: true }],
  annotations: { 'colony.io/owner': ownerId },
};

/** What can happen to a resource at any moment. */
const move = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('update'), cas: fc.boolean(), repeat: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('signal', 'together', 'badSignal', 'badUpdate', 'reconcile', 'nonsense') }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('think') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('land', 'crash', 'ring', 'wait') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('tell', 'tellInVain', 'arrive', 'arriveNot') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollOver') }) },
) as fc.Arbitrary<{ do: string; cas?: boolean; repeat?: boolean }>;

/** Plays a script against runs of the real bundle, one after the other as they hand over, and remembers what was promised. */
class Play {
  readonly acknowledged = new Map<string, ApplyAnswer>();
  private readonly asked = new Map<string, string>();
  private written = 0;

  private constructor(private run: Run) {}

  static async start(): Promise<Play> {
    const first = { metadata: owned, spec: { size: 0, color: 'v0' }, requestId: 'v0' };
    const play = new Play(await Run.start(options, [updateJob('apply', first, 'v0')]));
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
      case 'tell':
        await this.tell();
        break;
      case 'tellInVain':
        await this.tell('the server does not answer');
        break;
      case 'arrive':
        await this.arrive();
        break;
      case 'arriveNot':
        await this.arriveNot();
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
      await this.tell();
      await this.arrive();
      await this.collect();
      const [flying] = this.run.activities.keys();
      if (this.run.telling || this.run.signals.size > 0) continue;
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

  /** What the owner has heard, whichever way. */
  readonly heard: ChildNews[] = [];

  private async tell(failure?: string): Promise<void> {
    const { telling } = this.run;
    if (!telling) return;
    if (failure === undefined) this.heard.push(telling.news);
    await this.run.tell(failure);
  }

  private async arrive(): Promise<void> {
    const [signal] = this.run.signals.values();
    if (!signal) return;
    this.heard.push(signal.news);
    await this.run.arrive(signal.seq);
  }

  /** Whoever owns it has got too much to hear. */
  private async arriveNot(): Promise<void> {
    const [signal] = this.run.signals.values();
    if (signal) await this.run.arrive(signal.seq, 'Unable to signal external workflow because The per-workflow signal limit was exceeded');
  }

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
    if (this.run.telling || this.run.signals.size > 0) throw new Error('a run has ended before its news arrived');
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
        const versions = play.heard.map(({ resourceVersion }) => resourceVersion);
        expect(new Set(versions).size, 'nothing is told twice').toBe(versions.length);
        const newest = play.heard.toSorted((a, b) => Number(a.resourceVersion) - Number(b.resourceVersion)).at(-1);
        expect(newest, 'the owner knows how it stands').toMatchObject({ generation: resource.metadata.generation, ready: 'True' });
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
