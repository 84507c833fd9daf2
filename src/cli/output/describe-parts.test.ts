import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../definitions/core/resource.ts';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

const condition = (type: string, status: Condition['status'], reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-01T11:59:00Z',
  observedGeneration: 1,
});

const page = async (colony: FakeColony, ref: string): Promise<string> => {
  const { out } = await colonyCli(colony, ['describe', ref]);
  return out.slice(out.indexOf('Status:'));
};

describe('colony describe', () => {
  it('says of an Application what waits for what', async () => {
    const colony = new FakeColony().define('Application', 'app.colonies.io').put({
      kind: 'Application',
      name: 'shop',
      spec: { components: [] },
      status: {
        phase: 'Progressing',
        observedGeneration: 1,
        readyComponents: '1/3',
        components: [
          { name: 'db', kind: 'Database', phase: 'Running', ready: true },
          {
            name: 'cache',
            kind: 'Cache',
            phase: 'Waiting',
            ready: false,
            waitingFor: ['kind Cache'],
            message: 'waits for the kind Cache: nobody has registered it',
          },
          { name: 'web', kind: 'WebService', phase: 'Waiting', ready: false, waitingFor: ['cache', 'db.status.endpoint'] },
        ],
        conditions: [condition('Ready', 'False', 'KindUnknown', '1 of 3 components are ready: cache waits for the kind Cache.')],
      },
    });
    expect(await page(colony, 'application/shop')).toMatchInlineSnapshot(`
      "Status:
        phase: Progressing
        observedGeneration: 1
        readyComponents: 1/3
      Components:
        COMPONENT   READY   PHASE     KIND         WAITS FOR
        db          True    Running   Database     -
        cache       False   Waiting   Cache        kind Cache
            waits for the kind Cache: nobody has registered it
        web         False   Waiting   WebService   cache, db.status.endpoint
      Conditions:
        TYPE   STATUS  AGE  REASON       MESSAGE
        Ready  False   60s  KindUnknown  1 of 3 components are ready: cache waits for
                                         the kind Cache.
      Events:       <none>

      Why it is not ready:
        KindUnknown: 1 of 3 components are ready: cache waits for the kind Cache.
      What to do:
        Define that kind: colony crd create -f FILE. The component goes on by itself
        then.
      "
    `);
  });

  it('shows the steps of a run with times, attempts and messages, and how to answer one that waits', async () => {
    const colony = new FakeColony().define('WorkflowRun', 'automation.colonies.io', { shortNames: ['run'] }).put({
      kind: 'WorkflowRun',
      name: 'nightly-1',
      namespace: 'flows',
      spec: {
        steps: [
          { name: 'load', http: { url: 'http://x' } },
          { name: 'each', withItems: [1, 2], http: { url: 'http://x' }, dependsOn: ['load'] },
          { name: 'ship', suspend: {}, dependsOn: ['each'] },
        ],
      },
      status: {
        phase: 'Suspended',
        observedGeneration: 1,
        progress: '2/3',
        steps: {
          load: {
            phase: 'Succeeded',
            startedAt: '2026-03-01T11:59:00Z',
            finishedAt: '2026-03-01T11:59:02Z',
            attempts: 2,
            outputs: { rows: 7 },
          },
          each: {
            phase: 'Succeeded',
            startedAt: '2026-03-01T11:59:02Z',
            finishedAt: '2026-03-01T11:59:20Z',
            iterations: { total: 2, succeeded: 1, failed: 1 },
          },
          'each[1]': {
            phase: 'Failed',
            startedAt: '2026-03-01T11:59:02Z',
            finishedAt: '2026-03-01T11:59:20Z',
            message: 'no route\nto host',
          },
          ship: { phase: 'Suspended', startedAt: '2026-03-01T11:59:20Z', message: 'Ship it?' },
        },
        conditions: [
          condition('Suspended', 'True', 'WaitingForApproval', 'ship: Ship it?'),
          condition('Ready', 'Unknown', 'Suspended', 'It waits.'),
        ],
      },
    });
    const { out } = await colonyCli(colony, ['describe', 'run/nightly-1', '-n', 'flows']);
    expect(out.slice(out.indexOf('Status:'))).toMatchInlineSnapshot(`
      "Status:
        phase: Suspended
        observedGeneration: 1
        progress: 2/3
      Steps:
        STEP     STATE        STARTED  TOOK  TRIES  MESSAGE
        load     ✓ Succeeded  60s ago  2.0s  2
        each     ✓ Succeeded  58s ago  18s   1      2/2, 1 failed
        each[1]  ✗ Failed     58s ago  18s   1      no route to host
        ship     ‖ Suspended  40s ago  40s   1      Ship it?
      Outputs of steps:
        load:
          rows: 7
      Conditions:
        TYPE        STATUS    AGE   REASON               MESSAGE
        Suspended   True      60s   WaitingForApproval   ship: Ship it?
        Ready       Unknown   60s   Suspended            It waits.
      Events:       <none>

      Why it is not ready:
        ship: Ship it?
      What to do:
        Answer the step that waits: colony workflow approve workflowrun/nightly-1 -n
        flows
      "
    `);
  });

  it('does not call a run stuck that runs', async () => {
    const colony = new FakeColony().define('WorkflowRun', 'automation.colonies.io').put({
      kind: 'WorkflowRun',
      name: 'r',
      spec: { steps: [] },
      status: { phase: 'Running', conditions: [condition('Ready', 'Unknown', 'Running', 'Steps are under way.')] },
    });
    expect(await page(colony, 'workflowrun/r')).not.toContain('Why it is not ready');
  });
});
