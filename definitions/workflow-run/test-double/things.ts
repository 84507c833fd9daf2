import type { ChildNews, ChildRef, ChildrenSeen, ChildWish } from '../../core/family.ts';
import type { Stage } from './stage.ts';

interface Thing {
  readonly ref: ChildRef;
  phase: 'Progressing' | 'Ready' | 'Failed';
  isGoing: boolean;
}

/** The resources that steps of one run make, as the world has them: one of a name, until it is really gone. */
export class Things {
  private readonly alive = new Map<string, Thing>();
  private made = 0;

  constructor(private readonly stage: Stage) {}

  /** Those that steps wait for, and that may become anything. */
  get open(): readonly string[] {
    const { children = [] } = (this.stage.observed.children?.value ?? {}) as Partial<ChildrenSeen>;
    return [...this.alive].flatMap(([key, { ref, phase, isGoing }]) => {
      const isKnown = children.some(({ uid }) => uid === ref.uid);
      const { phase: step, retryAt } = this.stage.steps[key] ?? {};
      return isKnown && phase === 'Progressing' && !isGoing && step === 'Running' && retryAt === undefined ? [key] : [];
    });
  }

  get going(): readonly string[] {
    return [...this.alive].flatMap(([key, { isGoing }]) => (isGoing ? [key] : []));
  }

  /** What becomes of one, by itself. */
  tell(key: string, phase: Thing['phase']): void {
    const thing = this.alive.get(key) as Thing;
    thing.phase = phase;
    this.stage.now += 1;
    this.news(thing.ref, { phase, ready: phase === 'Ready' ? 'True' : 'False' });
    this.stage.pass();
  }

  /** It is gone, whoever wished that. */
  vanish(key: string): void {
    const thing = this.alive.get(key);
    if (!thing) return;
    this.alive.delete(key);
    this.news(thing.ref, { phase: thing.phase, ready: 'Unknown', gone: true });
  }

  /** Carries out what is in the air; the answer. */
  carryOut(): unknown {
    const { step } = this.stage.air.get('children') as { readonly step: { readonly activity: string; readonly input: object } };
    const {
      wishes = [],
      waves = [],
      inventory,
    } = step.input as {
      readonly wishes?: readonly ChildWish[];
      readonly waves?: readonly (readonly ChildRef[])[];
      readonly inventory: readonly ChildRef[];
    };
    if (step.activity === 'removeChildren') {
      for (const { uid } of waves.flat()) this.remove(uid);
      return { children: inventory.filter(({ uid }) => !waves.flat().some((one) => one.uid === uid)) };
    }
    const isGoing = ({ key }: ChildWish) => this.alive.get(key)?.isGoing === true;
    const brought = wishes.filter((wish) => !isGoing(wish)).map((wish) => this.bring(wish));
    const problems = wishes.filter(isGoing).map(({ key, digest }) => ({ key, digest, reason: 'GoingAway', message: 'goes' }));
    return { children: [...inventory.filter(({ key }) => !brought.some((one) => one.key === key)), ...brought], problems };
  }

  private bring({ key, digest, manifest }: ChildWish): ChildRef {
    const { name } = manifest.metadata as { readonly name: string };
    const known = this.alive.get(key);
    this.made += known ? 0 : 1;
    const uid = known?.ref.uid ?? `t${this.made}`;
    const ref: ChildRef = { apiVersion: 'x.io/v1', kind: 'Thing', name, uid, id: `things/${name}`, key, digest, generation: 1 };
    this.alive.set(key, { phase: 'Progressing', isGoing: false, ...known, ref });
    return ref;
  }

  private remove(uid: string): void {
    const thing = [...this.alive.values()].find(({ ref }) => ref.uid === uid);
    if (!thing) return;
    if (thing.phase !== 'Failed') throw new Error(`${thing.ref.key} is deleted although it is ${thing.phase}`);
    thing.isGoing = true;
  }

  private news({ id, uid, apiVersion, kind, name }: ChildRef, more: Pick<ChildNews, 'phase' | 'ready' | 'gone'>): void {
    const value: ChildNews = { id, uid, apiVersion, kind, name, resourceVersion: '1', generation: 1, reason: 'R', message: 'M', ...more };
    this.stage.observed[`child/${id}`] = { key: 'news', generation: 1, at: this.stage.now, value };
  }
}
