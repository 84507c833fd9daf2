import { beforeEach, describe, expect, it } from 'vitest';
import { FakeColony } from '../test-double/colony.ts';
import { colonyCli } from '../test-double/run.ts';

let colony: FakeColony;
beforeEach(() => {
  colony = new FakeColony()
    .define('ResourceDefinition', 'colony.io', { scope: 'Cluster' })
    .define('Widget', 'example.com', { shortNames: ['wd'] })
    .define('Database', 'storage.example.com')
    .put({ kind: 'Widget', name: 'w1', spec: { size: 1 }, labels: { app: 'shop' } })
    .put({ kind: 'Widget', name: 'w2' })
    .put({ kind: 'Database', name: 'w2' });
});

const cli = (...argv: string[]) => colonyCli(colony, argv);

describe('colony kinds and explain', () => {
  it('lists kinds', async () => {
    expect((await cli('kinds', '-o', 'name')).out).toBe(
      'databases.storage.example.com\nresourcedefinitions.colony.io\nwidgets.example.com\n',
    );
    expect((await cli('api-resources', '--no-headers')).out).toContain('widgets');
    expect(JSON.parse((await cli('kinds', '-o', 'json')).out).items[2]).toMatchObject({
      kind: 'Widget',
      shortNames: ['wd'],
      namespaced: true,
    });
  });

  it('breaks no word on a terminal of 80 columns, and no line in a pipe', async () => {
    colony.define('ExecutorDeploymentOfOurs', 'compute.colonies.example.com', { shortNames: ['execdeploy', 'ed'] });
    const { out } = await colonyCli(colony, ['kinds'], { outIsTerminal: true });
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(out).toMatch(/^ +\S+ +ExecutorDeploymentOfOurs$|^ +ExecutorDeploymentOfOurs$/m);
    expect((await cli('kinds', '--no-headers')).out.trimEnd().split('\n')).toHaveLength(4);
  });

  it('explains steps inside steps', async () => {
    const { workflow } = await import('../../../definitions/workflow/index.ts');
    colony.define('Flow', 'example.com', { builtIn: true, spec: workflow.spec });
    expect((await cli('explain', 'flow.spec.steps.functionSpec')).out).toContain('funcName');
    expect((await cli('explain', 'flow.spec.steps.steps.name')).out).toContain('FIELD:      spec.steps.steps.name <string>');
  });

  it('explains fields', async () => {
    const { z } = await import('zod');
    colony.define('Gadget', 'example.com', {
      builtIn: true,
      spec: z.object({
        size: z.number().int().min(1).default(3).describe('How large.'),
        parts: z.array(z.object({ name: z.enum(['a', 'b']) })),
      }),
    });
    expect((await cli('explain', 'gadget.spec')).out).toContain('size    integer');
    expect((await cli('explain', 'gadget.spec.size')).out).toContain('FIELD:      spec.size <integer> ≥ 1; default 3; How large.');
    expect((await cli('explain', 'gadgets.parts.name')).out).toContain('"a" | "b"');
    expect((await cli('explain', 'gadget.spec.none')).code).toBe(2);
    expect((await cli('explain', 'none')).code).toBe(1);
    colony.put({
      kind: 'ResourceDefinition',
      name: 'widgets.example.com',
      spec: { schema: { type: 'object', properties: { size: { type: 'integer' } } } },
    });
    expect((await cli('explain', 'widget.spec')).out).toContain('size    integer');
  });

  it('explains of a kind itself also the fields of its spec, as they are asked for further', async () => {
    const size = { type: 'integer', minimum: 1 };
    const schema = { type: 'object', required: ['size'], properties: { size, door: { type: 'object', properties: { size } } } };
    colony.put({ kind: 'ResourceDefinition', name: 'widgets.example.com', spec: { schema } });
    const { out } = await cli('explain', 'widget');
    expect(out).toMatch(/\nspec +object +yes *\nspec\.size +integer +yes +≥ 1\nspec\.door +object *\n$/);
  });
});
