import type { ChildProblem } from '../core/family.ts';
import type { ConditionClaim } from '../core/resource.ts';
import { bare, isWaitedFor } from './goal.ts';
import type { ComponentReport, Release } from './schema.ts';

export interface Findings {
  readonly release: Release;
  /** Of the components, without those that nobody wants. */
  readonly reports: readonly ComponentReport[];
  /** Names of components whose texts cannot be filled in or whose needs are not ready. */
  readonly undecided: readonly string[];
  /** Outputs that cannot be told, and why. */
  readonly untold: readonly string[];
  /** Names of components that stand before an obstacle that a person should know of, and the reason. */
  readonly obstacles: readonly { readonly name: string; readonly reason: ChildProblem['reason'] }[];
  /** How many leave now. */
  readonly leaving: number;
  readonly isSuspended: boolean;
  readonly isAllReady: boolean;
  readonly stableGeneration: number | undefined;
}

export function conditionsOf(findings: Findings): readonly ConditionClaim[] {
  return [readyOf(findings), progressingOf(findings), degradedOf(findings), wiringOf(findings)];
}

const claim = (type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim => ({
  type,
  status,
  reason,
  message,
});

const isWanted = ({ phase }: ComponentReport): boolean => phase !== 'Skipped';

/** `2/3`, of those that are wanted. */
export function readyComponents(reports: readonly ComponentReport[]): string {
  const wanted = reports.filter(isWanted);
  return `${wanted.filter(({ ready }) => ready).length}/${wanted.length}`;
}

function readyOf(findings: Findings): ConditionClaim {
  const { release, isAllReady, leaving, isSuspended, reports } = findings;
  const count = `${readyComponents(reports).replace('/', ' of ')} components are ready`;
  if (release.phase === 'RollingBack') return claim('Ready', 'False', 'RollingBack', release.message);
  if (release.phase === 'RolledBack') return claim('Ready', 'False', 'RolledBack', release.message);
  if (isAllReady && leaving === 0) return claim('Ready', 'True', 'AllComponentsReady', `${count}.`);
  if (isAllReady)
    return claim(
      'Ready',
      'False',
      'RollingOut',
      `${count}; ${leaving} that ${leaving === 1 ? 'is' : 'are'} no longer wanted ${leaving === 1 ? 'goes' : 'go'}.`,
    );
  if (isSuspended) return claim('Ready', 'False', 'Suspended', `${count}; nothing is begun while suspend is true.`);
  if (release.phase === 'Failed')
    return claim('Ready', 'False', wantsOnlyKinds(findings) ? 'KindUnknown' : 'ReleaseFailed', release.message);
  const obstacle = findings.obstacles[0];
  const worst = reports.find(({ name }) => name === obstacle?.name) ?? reports.find((report) => isWanted(report) && !report.ready);
  const why = worst ? `: ${said(worst)}` : '';
  return claim(
    'Ready',
    'False',
    obstacle?.reason ?? (release.phase === 'Progressing' ? 'RollingOut' : 'ComponentsNotReady'),
    `${count}${why}.`,
  );
}

/** No other spec would help: everybody who is not ready waits for a kind, or for one who does. */
function wantsOnlyKinds({ reports, obstacles }: Findings): boolean {
  const isKindMissing = (name: string): boolean => obstacles.some((one) => one.name === name && one.reason === 'KindUnknown');
  const waits = ({ waitingFor = [] }: ComponentReport): boolean => waitingFor.some((name) => reports.some((one) => one.name === name));
  const late = reports.filter((one) => isWanted(one) && !one.ready && !waits(one));
  return late.length > 0 && late.every(({ name }) => isKindMissing(name));
}

function progressingOf({ release, leaving, isSuspended }: Findings): ConditionClaim {
  if (isSuspended) return claim('Progressing', 'False', 'Suspended', 'Nothing is begun while suspend is true.');
  switch (release.phase) {
    case 'Progressing':
      return claim('Progressing', 'True', 'RollingOut', `Generation ${release.generation} is being reached.`);
    case 'RollingBack':
      return claim('Progressing', 'True', 'RollingBack', `Generation ${release.generation} is being taken back.`);
    case 'Failed':
      return claim('Progressing', 'False', 'ReleaseFailed', `Generation ${release.generation} was not reached.`);
    case 'RolledBack':
      return claim('Progressing', 'False', 'RolledBack', `Generation ${release.generation} was taken back.`);
    case 'Complete':
      if (leaving > 0) return claim('Progressing', 'True', 'Pruning', 'What is no longer wanted goes.');
      return claim('Progressing', 'False', 'ReleaseComplete', release.message);
  }
}

/** A component that was ready once and is not now, or one that a person must help; else a release that failed, also when it was taken back. */
function degradedOf({ release, reports, obstacles }: Findings): ConditionClaim {
  const blocked = obstacles.find(({ reason }) => reason === 'NotOwned' || reason === 'Refused');
  const report = reports.find(({ name }) => name === blocked?.name);
  if (blocked && report) return claim('Degraded', 'True', blocked.reason, `${said(report)}.`);
  if (release.phase === 'Failed') return claim('Degraded', 'True', 'ReleaseFailed', release.message);
  const isSettled = release.phase === 'Complete' || release.phase === 'RolledBack';
  const down = isSettled ? reports.filter((one) => isWanted(one) && !one.ready) : [];
  if (down[0]) {
    const others =
      down.length > 1
        ? `; not ready either: ${down
            .slice(1)
            .map(({ name }) => name)
            .join(', ')}`
        : '';
    return claim('Degraded', 'True', 'ComponentsNotReady', `${said(down[0])}${others}.`);
  }
  if (release.phase === 'RollingBack' || release.phase === 'RolledBack') return claim('Degraded', 'True', release.phase, release.message);
  return claim('Degraded', 'False', 'AsExpected', 'Nothing is known to be wrong.');
}

/** Who waits for others, for values or for a kind; in the order of the spec, and each with its own words. */
function wiringOf({ reports, undecided, untold, obstacles }: Findings): ConditionClaim {
  const outside = obstacles.filter(({ reason }) => isWaitedFor(reason));
  const names = [...undecided, ...outside.map(({ name }) => name)];
  const pending = [...reports.filter(({ name }) => names.includes(name)).map(said), ...untold];
  if (pending.length === 0) return claim('WiringPending', 'False', 'AllWired', 'Every component has what it needs.');
  const isOnlyOutside = outside.length === pending.length;
  return claim('WiringPending', 'True', (isOnlyOutside && outside[0]?.reason) || 'WaitingForComponents', `${pending.join('; ')}.`);
}

/** What a component says of itself is a sentence of its own; what is said about it goes on from its name. */
function said({ name, message }: ComponentReport): string {
  const text = message ? bare(message) : 'is not ready yet';
  return /^[a-z]/.test(text) ? `${name} ${text}` : `${name}: ${text}`;
}

export function phaseOf({ release, isSuspended, stableGeneration, reports }: Findings, conditions: readonly ConditionClaim[]): string {
  const reasonFor = (type: string): string | undefined => conditions.find((one) => one.type === type && one.status === 'True')?.reason;
  if (isSuspended) return 'Suspended';
  if (release.phase === 'RollingBack') return 'RollingBack';
  if (reasonFor('Ready')) return 'Ready';
  const trouble = reasonFor('Degraded');
  if (trouble) return trouble === 'RolledBack' ? 'RolledBack' : 'Degraded';
  const isUntouched = stableGeneration === undefined && reports.every(({ ref }) => ref === undefined);
  return isUntouched ? 'Pending' : 'Progressing';
}
