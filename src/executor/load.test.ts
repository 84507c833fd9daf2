import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadExecutor } from './load.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colony-load-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('loadExecutor', () => {
  it('reads TypeScript with files beside it, wherever it lies', async () => {
    file('queue.ts', 'export const queue: string = "makers";');
    const path = file(
      'good.ts',
      'import { queue } from "./queue.ts"; export default { executorType: queue, functions: { make: async (): Promise<object> => ({}) } };',
    );
    const executor = await loadExecutor(path);
    expect(executor.executorType).toBe('makers');
    expect(await executor.functions?.make?.({} as never, {} as never)).toEqual({});
  });

  it.each([
    ['a file that is not there', () => join(folder, 'absent.ts'), /absent\.ts does not exist$/],
    ['a folder', () => folder, /is not a file$/],
    ['a file of another kind', () => file('widget.yaml', 'a: 1'), /widget\.yaml is neither TypeScript nor JavaScript/],
    ['a file that does not compile', () => file('broken.ts', 'export default {\n  executorType: ;\n'), /broken\.ts line 2/],
    ['a file that throws', () => file('throws.ts', 'throw new Error("no luck")'), /no luck/],
    ['a file without a default export', () => file('bare.ts', 'export const a = 1;'), /no default export/],
    ['an executor without a queue', () => file('queueless.ts', 'export default { functions: { a: async () => ({}) } };'), /executorType/],
    [
      'an executor without functions',
      () => file('idle.ts', 'export default { executorType: "q", functions: {} };'),
      /without functions and steps/,
    ],
    [
      'a name that is both',
      () => file('both.ts', 'export default { executorType: "q", functions: { a: async () => ({}) }, steps: { a: async () => 1 } };'),
      /a both as/,
    ],
    ['a function that is none', () => file('wrong.ts', 'export default { executorType: "q", functions: { a: 1 } };'), /function a is none/],
  ])('says what is wrong with %s', async (_, path, message) => {
    await expect(loadExecutor(path())).rejects.toMatchObject({ name: 'ExecutorFileError', message: expect.stringMatching(message) });
  });
});
