import type { Instance, InstanceOwner } from '../../definitions/core/instance.ts';
import type { Probe, ProbeCheck, RuntimeName } from '../../definitions/core/template.ts';
import type { Seen } from '../runtimes/runtime.ts';
import { Probing } from './probing.ts';

export interface ProberOptions {
  readonly ask: (runtime: RuntimeName, instance: Seen, check: ProbeCheck, timeoutMs: number) => Promise<void>;
  /** Called when what a probe says of one of the owner's instances changed. */
  readonly changed: (owner: InstanceOwner, runtime: RuntimeName) => void;
}

/** The probes of one life of an instance. */
interface Patient {
  readonly life: string;
  startup?: Probing;
  readiness?: Probing;
  liveness?: Probing;
}

/**
 * Probes every running instance that has probes, from its start to its end.
 *
 * What is probed is taken from what was last listed, so an agent that was just started goes on where the last one ended.
 */
export class Prober {
  private readonly patients = new Map<string, Patient>();

  constructor(private readonly options: ProberOptions) {}

  /** Takes in a fresh listing of one owner and answers with what the probes add to it. */
  examine(runtime: RuntimeName, uid: string, listed: readonly Seen[]): Instance[] {
    const alive = new Set(listed.filter(isProbed).map((seen) => keyOf(uid, seen)));
    for (const key of [...this.patients.keys()]) if (key.startsWith(`${uid}/`) && !alive.has(key)) this.dismiss(key);
    return listed.map((seen) => this.judge(runtime, uid, seen));
  }

  end(): void {
    for (const key of [...this.patients.keys()]) this.dismiss(key);
  }

  private judge(runtime: RuntimeName, uid: string, seen: Seen): Instance {
    const { owner: _owner, probes: _probes, ...instance } = seen;
    if (!isProbed(seen)) return instance;
    const { startup, readiness, liveness } = this.patient(runtime, uid, seen);
    if (startup && startup.verdict !== 'passes') {
      const hasFailed = startup.verdict === 'fails';
      const words = hasFailed ? `The startup probe fails: ${startup.complaint}` : 'The startup probe has not passed yet.';
      return { ...instance, ready: false, ...(hasFailed ? { unhealthy: words } : { notReady: words }) };
    }
    const unhealthy = liveness?.verdict === 'fails' ? { unhealthy: `The liveness probe fails: ${liveness.complaint}` } : {};
    if (!readiness || readiness.verdict === 'passes') return { ...instance, ...unhealthy };
    const notReady =
      readiness.verdict === 'fails' ? `The readiness probe fails: ${readiness.complaint}` : 'The readiness probe has not passed yet.';
    return { ...instance, ...unhealthy, ready: false, notReady };
  }

  private patient(runtime: RuntimeName, uid: string, seen: Seen): Patient {
    const key = keyOf(uid, seen);
    const life = seen.startedAt ?? '';
    const known = this.patients.get(key);
    if (known?.life === life) return known;
    this.dismiss(key);
    const patient: Patient = { life };
    this.patients.set(key, patient);
    const { startup, readiness, liveness } = seen.probes;
    const begin = (probe: Probe): Probing =>
      new Probing(
        probe,
        (check, timeoutMs) => this.options.ask(runtime, seen, check, timeoutMs),
        () => {
          if (patient.startup?.verdict === 'passes') afterStartup();
          this.options.changed(seen.owner, runtime);
        },
      );
    const afterStartup = (): void => {
      if (readiness && !patient.readiness) patient.readiness = begin(readiness);
      if (liveness && !patient.liveness) patient.liveness = begin(liveness);
      patient.startup?.end();
    };
    if (startup) patient.startup = begin(startup);
    else afterStartup();
    return patient;
  }

  private dismiss(key: string): void {
    const patient = this.patients.get(key);
    for (const probing of [patient?.startup, patient?.readiness, patient?.liveness]) probing?.end();
    this.patients.delete(key);
  }
}

const isProbed = ({ state, probes }: Seen): boolean => state === 'running' && Object.keys(probes).length > 0;

const keyOf = (uid: string, { id }: Seen): string => `${uid}/${id}`;
