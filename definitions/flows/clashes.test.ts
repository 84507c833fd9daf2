import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkWith } from '../core/issues/index.ts';
import type { JsonObject } from '../core/resource.ts';
import { workflowSpec } from '../workflow/schema.ts';
import { fn } from '../workflow-run/test-double/stage.ts';
import { MAX_STEPS } from './schema.ts';

function say(spec: JsonObject): Record<string, string> {
  const checked = checkWith(workflowSpec, spec, 'spec');
  return 'issues' in checked ? Object.fromEntries(checked.issues.map(({ path, message }) => [path, message])) : {};
}

const call = { funcName: 'f', conditions: { executorType: 'q' } };

describe('what is refused of a flow', () => {
  const cases: { name: string; spec: JsonObject; path: string; message: string }[] = [
    {
      name: 'a cycle',
      spec: { steps: [fn('a', { dependsOn: ['c'] }), fn('b', { dependsOn: ['a'] }), fn('c', { dependsOn: ['b'] })] },
      path: 'spec.steps[0].dependsOn',
      message: 'the steps wait for each other: a → c → b → a',
    },
    {
      name: 'a cycle by an expression and by what is spoken of',
      spec: { steps: [fn('a', { depends: 'b.Failed' }), { name: 'b', functionSpec: { ...call, kwargs: { x: '${steps.a.outputs.x}' } } }] },
      path: 'spec.steps[0].depends',
      message: 'the steps wait for each other: a → b → a',
    },
    {
      name: 'a cycle through nested steps',
      spec: {
        steps: [
          fn('a', { dependsOn: ['g'] }),
          { name: 'g', steps: [{ name: 'x', functionSpec: { ...call, args: ['${steps.a.outputs.n}'] } }] },
        ],
      },
      path: 'spec.steps[0].dependsOn',
      message: 'the steps wait for each other: a → g → a',
    },
    {
      name: 'an unknown dependency',
      spec: { steps: [fn('a'), fn('b', { dependsOn: ['z'] })] },
      path: 'spec.steps[1].dependsOn[0]',
      message: 'unknown step "z"; the steps beside it: a',
    },
    {
      name: 'itself',
      spec: { steps: [fn('a', { dependsOn: ['a'] })] },
      path: 'spec.steps[0].dependsOn[0]',
      message: 'a step cannot depend on itself',
    },
    {
      name: 'an unknown step in an expression',
      spec: { steps: [fn('a', { depends: 'z.Failed' })] },
      path: 'spec.steps[0].depends',
      message: 'unknown step "z"; the steps beside it: none',
    },
    { name: 'a name twice', spec: { steps: [fn('a'), fn('a')] }, path: 'spec.steps[1].name', message: 'is there twice ("a")' },
    {
      name: 'a name twice inside another step',
      spec: { steps: [{ name: 'g', steps: [fn('a'), fn('a')] }] },
      path: 'spec.steps[0].steps[1].name',
      message: 'is there twice ("a")',
    },
    {
      name: 'a reserved name',
      spec: { steps: [fn('exit')] },
      path: 'spec.steps[0].name',
      message: 'is a name that is kept for what is done at the end (exit)',
    },
    {
      name: 'no form',
      spec: { steps: [{ name: 'a' }] },
      path: 'spec.steps[0]',
      message: 'must have exactly one of functionSpec, resource, run, http, suspend, steps (has none of them)',
    },
    {
      name: 'two forms',
      spec: { steps: [fn('a', { suspend: {} })] },
      path: 'spec.steps[0]',
      message: 'must have exactly one of functionSpec, resource, run, http, suspend, steps (has function and suspend)',
    },
    {
      name: 'a type that is not that of the form',
      spec: { steps: [fn('a', { type: 'http' })] },
      path: 'spec.steps[0].type',
      message: 'must be function, as the step is written (got "http")',
    },
    {
      name: 'an unknown parameter',
      spec: { params: [{ name: 'day' }], steps: [{ name: 'a', functionSpec: { ...call, kwargs: { at: 'x-${params.dya}' } } }] },
      path: 'spec.steps[0].functionSpec.kwargs.at',
      message: 'unknown parameter "dya"; parameters: day',
    },
    {
      name: 'an unknown step that is spoken of',
      spec: { steps: [{ name: 'a', functionSpec: { ...call, args: ['${steps.b.outputs.n}'] } }] },
      path: 'spec.steps[0].functionSpec.args[0]',
      message: 'unknown step "b"; steps that can be spoken of here: none',
    },
    {
      name: 'a field that steps do not have',
      spec: { steps: [fn('a'), fn('b', { when: 'steps.a.result > 1' })] },
      path: 'spec.steps[1].when',
      message: 'steps.a has outputs, status, message (got "result")',
    },
    {
      name: 'an item outside a loop',
      spec: { steps: [fn('a', { when: 'item > 1' })] },
      path: 'spec.steps[0].when',
      message: 'unknown name "item"; allowed: params, run, steps',
    },
    {
      name: 'a loop without end',
      spec: { steps: [fn('a', { withSequence: { start: 1 } })] },
      path: 'spec.steps[0].withSequence',
      message: 'must have either end or count',
    },
    {
      name: 'two loops',
      spec: { steps: [fn('a', { withItems: [1], withParam: '[1]' })] },
      path: 'spec.steps[0].withParam',
      message: 'cannot stand beside withItems',
    },
    {
      name: 'a function without a name',
      spec: { steps: [{ name: 'a', functionSpec: { conditions: { executorType: 'q' } } }] },
      path: 'spec.steps[0].functionSpec.funcName',
      message: 'is required',
    },
    {
      name: 'a function without executors',
      spec: { steps: [{ name: 'a', functionSpec: { funcName: 'f' } }] },
      path: 'spec.steps[0].functionSpec.conditions.executorType',
      message: 'is required',
    },
    {
      name: 'a process without a command',
      spec: { steps: [{ name: 'a', run: {} }] },
      path: 'spec.steps[0].run.command',
      message: 'is required without an image',
    },
    {
      name: 'a retry of what waits',
      spec: { steps: [{ name: 'a', suspend: {}, retry: { maxAttempts: 2 } }] },
      path: 'spec.steps[0].retry',
      message: 'is only for functionSpec, run, http and resource',
    },
    {
      name: 'a retry of what is kept',
      spec: { steps: [{ name: 'a', resource: { manifest: { kind: 'X' }, keep: true }, retry: { maxAttempts: 2 } }] },
      path: 'spec.steps[0].retry',
      message: 'cannot stand beside resource.keep: what failed is deleted before the next try',
    },
    {
      name: 'an undo of two forms',
      spec: { steps: [fn('a', { compensate: { functionSpec: call, http: { url: 'http://x' } } })] },
      path: 'spec.steps[0].compensate',
      message: 'must have exactly one of functionSpec, run, http (has function and http)',
    },
    {
      name: 'a wrong step at the end',
      spec: { steps: [fn('a')], onExit: { name: 'bye', functionSpec: { ...call, kwargs: { s: '${steps.z.status}' } } } },
      path: 'spec.onExit.functionSpec.kwargs.s',
      message: 'unknown step "z"; steps that can be spoken of here: a',
    },
    {
      name: 'an unknown field',
      spec: { steps: [fn('a', { dependOn: [] })] },
      path: 'spec.steps[0].dependOn',
      message: expect.stringContaining('unknown field; known fields: name, type, dependsOn') as unknown as string,
    },
    {
      name: 'a bad duration',
      spec: { steps: [fn('a')], timeout: '5 minutes' },
      path: 'spec.timeout',
      message: expect.stringContaining('must be a duration') as unknown as string,
    },
    ...['5 bananas', '-5s'].flatMap((timeout) => [
      {
        name: `a duration that is none where a template may stand: ${timeout}`,
        spec: { steps: [fn('a', { timeout }), { name: 'b', suspend: { timeout } }] },
        path: 'spec.steps[0].timeout',
        message: `must be a duration such as "10s", "5m" or "1h30m", or seconds (got "${timeout}")`,
      },
    ]),
    {
      name: 'a text where a number or a template may stand',
      spec: { steps: [fn('a', { withSequence: { count: 'ten' } })] },
      path: 'spec.steps[0].withSequence.count',
      message: 'must be an integer or a template with ${…} (got "ten")',
    },
    {
      name: 'a loop of too many, counted',
      spec: { steps: [fn('a', { withSequence: { count: 1_000_000 } })] },
      path: 'spec.steps[0].withSequence.count',
      message: 'must be ≤ 1000 (got 1000000)',
    },
    {
      name: 'a loop of too many, by its end',
      spec: { steps: [fn('a', { withSequence: { start: 5, end: 1_005 } })] },
      path: 'spec.steps[0].withSequence.end',
      message: 'makes 1001 iterations; at most 1000 are allowed',
    },
    ...['ftp://x', 'x', 'http://', 'file:${params.x}'].map((url) => ({
      name: `an address that nobody can call: ${url}`,
      spec: { params: [{ name: 'x' }], steps: [{ name: 'a', http: { url } }] },
      path: 'spec.steps[0].http.url',
      message: `must be an address such as https://example.com/x (got "${url}")`,
    })),
    {
      name: 'every cycle, also those that share a step',
      spec: { steps: [fn('a', { dependsOn: ['b'] }), fn('b', { dependsOn: ['a', 'c'] }), fn('c', { dependsOn: ['b'] })] },
      path: 'spec.steps[1].dependsOn',
      message: 'the steps wait for each other: b → c → b',
    },
    { name: 'no steps', spec: { steps: [] }, path: 'spec.steps', message: 'must have at least 1 item (has 0)' },
  ];

  it.each(cases)('$name', ({ spec, path, message }) => expect(say(spec)).toMatchObject({ [path]: message }));

  it('an expression that cannot be read, with its place', () => {
    expect(Object.keys(say({ steps: [fn('a', { when: '1 +' })] }))).toEqual(['spec.steps[0].when']);
    expect(Object.keys(say({ steps: [{ name: 'a', http: { url: 'http://x/${' } }] }))).toEqual(['spec.steps[0].http.url']);
    expect(Object.keys(say({ steps: [fn('a'), fn('b', { depends: 'a.Succeded' })] }))).toEqual(['spec.steps[1].depends']);
    const resource = { manifest: { kind: 'X', metadata: { name: 'x' } }, successCondition: 'phase == 1' };
    expect(Object.keys(say({ steps: [{ name: 'a', resource }] }))).toEqual(['spec.steps[0].resource.successCondition']);
  });

  it('more than a thousand steps, those inside others counted', () => {
    const many = Array.from({ length: MAX_STEPS }, (_, index) => fn(`s${index}`));
    expect(say({ steps: many })).toEqual({});
    expect(say({ steps: [...many.slice(1), { name: 'g', steps: [fn('x')] }] })).toEqual({
      'spec.steps': `has ${MAX_STEPS + 1} steps with those inside others; at most ${MAX_STEPS} are allowed`,
    });
  });

  it('a cycle beside a name that is there twice, and beside one that is unknown', () => {
    const steps = [fn('a', { dependsOn: ['b', 'zz'] }), fn('b', { dependsOn: ['c'] }), fn('c', { dependsOn: ['b'] }), fn('c')];
    expect(say({ steps })).toEqual({
      'spec.steps[3].name': 'is there twice ("c")',
      'spec.steps[0].dependsOn[1]': 'unknown step "zz"; the steps beside it: b, c',
      'spec.steps[1].dependsOn': 'the steps wait for each other: b → c → b',
    });
  });

  it('all that fields say by themselves at once, before what lies between them', () => {
    const spec = {
      schedule: '61 * * * *',
      timezone: 'Mars/Base',
      steps: [fn('a', { dependsOn: ['z'] }), { name: 'B B', functionSpec: call }],
    };
    expect(Object.keys(say(spec)).sort()).toEqual(['spec.schedule', 'spec.steps[1].name', 'spec.timezone']);
  });
});

describe('what is accepted', () => {
  it("the document's pipeline, unchanged", () => {
    const file = new URL('../../test/fixtures/seeds/instances/daily-data-pipeline.json', import.meta.url);
    const { spec } = JSON.parse(readFileSync(file, 'utf8')) as { spec: JsonObject };
    expect(checkWith(workflowSpec, spec, 'spec')).toEqual({ value: spec });
  });

  it.each(['${params.x}', 'http${params.x}', 'https://${params.x}/y', 'HTTP://x/y?${params.x}'])(
    'an address that is known later: %s',
    (url) => {
      expect(say({ params: [{ name: 'x' }], steps: [{ name: 'a', http: { url } }] })).toEqual({});
    },
  );

  it('a function as ColonyOS writes it, with all its fields', () => {
    const functionSpec = {
      nodename: 'n',
      funcname: 'f',
      args: [1, 'two'],
      kwargs: { a: { b: [1] } },
      priority: 1,
      maxwaittime: -1,
      maxexectime: -1,
      maxretries: -1,
      conditions: {
        executortype: 'q',
        colonyname: 'dev',
        executornames: ['x'],
        nodes: 10,
        processes: 1,
        processespernode: 1,
        walltime: 60,
      },
      label: 'l',
      fs: { mount: '/x' },
      env: { A: 'b' },
      channels: [],
    };
    expect(say({ steps: [{ name: 'a', functionSpec }] })).toEqual({});
  });

  it('every other form, and templates wherever a value stands', () => {
    expect(
      say({
        params: [
          { name: 'n', default: 2 },
          { name: 'host', default: 'h', enum: ['h', 'i'] },
        ],
        parallelism: 3,
        steps: [
          { name: 'list', http: { url: 'https://${params.host}/x', expect: [200, '${params.n}'] }, timeout: '${params.n}' },
          {
            name: 'each',
            withItems: '${steps.list.outputs.body}',
            parallelism: 2,
            run: { image: 'busybox', command: ['echo', '${item.id}', '${index}'], resources: { memory: '${params.n}' } },
          },
          { name: 'count', withSequence: { start: 1, end: '${params.n}', format: 'p-%02d' }, run: { command: 'echo ${item}' } },
          { name: 'ask', dependsOn: ['each'], suspend: { message: 'Go on with ${params.host}?', timeout: '1h', onTimeout: 'Skip' } },
          {
            name: 'inner',
            depends: 'ask.Succeeded && !count.AllFailed',
            timeout: '10m',
            outputs: { url: '${steps.make.outputs.url}' },
            steps: [
              {
                name: 'make',
                resource: { manifest: { kind: 'Database', spec: { size: '${params.n}Gi' } }, outputs: { url: 'status.endpoint' } },
              },
            ],
          },
        ],
        outputs: { url: '${steps.inner.outputs.url}' },
        onExit: [fn('bye', { when: 'run.status == "Failed"' })],
      }),
    ).toEqual({});
  });
});
