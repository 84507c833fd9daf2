import { describe, expect, it } from 'vitest';
import { InvalidError, NoWorkerError, UnknownKindError } from '../client/errors.ts';
import { report } from './report.ts';
import { fakeIo } from './test-double/io.ts';
import { UsageError } from './usage-error.ts';

function said(error: unknown, circumstances?: Parameters<typeof report>[2]): [number, string] {
  const io = fakeIo();
  return [report(io, error, circumstances), io.stderr()];
}

describe('report', () => {
  it('lists every issue with its path, on a line of its own', () => {
    const error = new InvalidError(
      [
        { path: 'spec.size', message: 'must be ≥ 1' },
        { path: '', message: 'is strange' },
      ],
      'Widget w1',
    );
    expect(said(error)).toEqual([1, 'error: Widget w1 is not valid:\n  spec.size: must be ≥ 1\n  is strange\n']);
    expect(said(error, { at: 'a.yaml', lineOf: () => 7 })[1]).toBe(
      'error: a.yaml: Widget w1 is not valid:\n  spec.size: must be ≥ 1 (line 7)\n  is strange\n',
    );
  });

  it('says one thing without a path in one sentence', () => {
    const error = new InvalidError([{ path: '', message: 'Widget has no command "dance"; it has: rollback' }]);
    expect(said(error)).toEqual([1, 'error: Widget has no command "dance"; it has: rollback\n']);
  });

  it('says what to do', () => {
    expect(said(new NoWorkerError('no worker answers', 'Start one.'))).toEqual([1, 'error: no worker answers\nStart one.\n']);
    expect(said(new UnknownKindError('no kind x', ['a', 'b']))).toEqual([1, 'error: no kind x\nKnown kinds: a, b.\n']);
    expect(said(new UsageError('not so', 'So.'))).toEqual([2, 'error: not so\nSo.\n']);
  });

  it('survives what is no error', () => {
    expect(said('text')[1]).toBe('error: text\n');
    expect(said(undefined)[1]).toBe('error: undefined\n');
    expect(said(new Error(''))[1]).toContain('error: ');
  });

  it('shows causes with -v', () => {
    expect(said(new Error('outer', { cause: new Error('inner') }), { verbose: true })[1]).toMatch(/outer[\s\S]*caused by: Error: inner/);
  });
});
