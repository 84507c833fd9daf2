import { describe, expect, it } from 'vitest';
import { FakeColony } from './test-double/colony.ts';
import { colonyCli } from './test-double/run.ts';

/** A built-in kind wins where another has its name, as the client has it. */
class Shadowing extends FakeColony {
  override async resolveAll(name: string) {
    const found = await super.resolveAll(name);
    const ours = found.filter(({ builtIn }) => builtIn);
    return ours.length > 0 ? ours : found;
  }
}

const colony = () =>
  new Shadowing()
    .define('Workflow', 'automation.colonies.io', { builtIn: true })
    .define('Workflow', 'argoproj.io')
    .put({ kind: 'Workflow', name: 'argo1', apiVersion: 'argoproj.io/v1' });

describe('what does not exist', () => {
  it.each([
    ['get', ['get', 'workflow/argo1']],
    ['get, with a space', ['get', 'workflows', 'argo1']],
    ['describe', ['describe', 'workflow/argo1']],
  ])('may be of another kind of that name, and %s says how to name it', async (_, argv) => {
    const { code, err } = await colonyCli(colony(), argv);
    expect(code).toBe(1);
    expect(err).toContain(
      `${argv[1]?.split('/')[0]} means Workflow of automation.colonies.io; the other kind of that name is workflows.argoproj.io\n`,
    );
  });

  it('is said without more where nothing else has that name', async () => {
    const alone = new FakeColony().define('Widget', 'example.com', { builtIn: true });
    expect((await colonyCli(alone, ['get', 'widget/w1'])).err).not.toContain('means');
    expect((await colonyCli(colony(), ['get', 'workflows.automation.colonies.io/argo1'])).err).not.toContain('means');
  });
});
