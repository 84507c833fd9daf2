import {
  ApplicationFailure,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { ColonyError, InvalidError } from './errors.ts';
import { asColonyError, asCommandError, isAbsent, isUndecided, refusalOf } from './failures.ts';

const refusal = (type: string, details: object = {}): Error =>
  new WorkflowUpdateFailedError(
    'Workflow Update failed',
    ApplicationFailure.create({ message: 'because', type, details: [details], nonRetryable: true }),
  );
const grpc = (code: number): Error => Object.assign(new Error(`${code} X: said`), { code, details: 'said', metadata: {} });

describe('asColonyError', () => {
  it.each([
    ['Invalid', 'Invalid'],
    ['TooLarge', 'TooLarge'],
    ['UnknownCommand', 'UnknownCommand'],
    ['Conflict', 'Conflict'],
    ['Deleting', 'Deleting'],
    ['AlreadyExists', 'AlreadyExists'],
    ['NotFound', 'NotFound'],
    ['Forbidden', 'Forbidden'],
    ['NotYours', 'NotYours'],
  ])('gives the refusal %s the code %s', (type, code) => {
    expect(asColonyError(refusal(type), 'Widget w')).toMatchObject({ code, name: `${code}Error` });
  });

  it.each([
    { name: 'no workflow', error: new WorkflowNotFoundError('x', 'w', undefined), code: 'NotFound' },
    { name: 'gRPC not found', error: grpc(5), code: 'NotFound' },
    { name: 'no namespace', error: new NamespaceNotFoundError('n'), code: 'Unreachable' },
    { name: 'nobody there', error: new ServiceError('x', { cause: grpc(14) }), code: 'Unreachable' },
    { name: 'no answer', error: new ServiceError('x', { cause: grpc(4) }), code: 'Unreachable' },
    { name: 'not allowed', error: grpc(7), code: 'Forbidden' },
    { name: 'not known', error: grpc(16), code: 'Forbidden' },
    { name: 'too much', error: grpc(8), code: 'Timeout' },
    { name: 'a bug', error: new TypeError('x is not a function'), code: 'Internal' },
    { name: 'no error at all', error: 'text', code: 'Internal' },
  ])('names $name', ({ error, code }) => {
    const known = asColonyError(error, 'Widget w');
    expect(known).toBeInstanceOf(ColonyError);
    expect(known.code).toBe(code);
    expect(known.message).not.toMatch(/\n|\bat .*:\d+/);
  });

  it('keeps the paths of what is wrong', () => {
    const issues = [{ path: 'spec.a', message: 'is required' }];
    const error = asColonyError(refusal('Invalid', { issues }), 'Widget w');
    expect(error).toBeInstanceOf(InvalidError);
    expect(error).toMatchObject({ issues, message: 'Widget w is not valid: spec.a: is required' });
  });

  it('does not call a resource invalid that has no such command', () => {
    const error = asColonyError(refusal('UnknownCommand'), 'Widget w');
    expect(error).toBeInstanceOf(InvalidError);
    expect(error.message).not.toContain('is not valid');
  });

  it('speaks of the command that was refused, not of the resource', () => {
    const issues = [{ path: 'args.worker', message: 'is required' }];
    const error = asCommandError(refusal('Invalid', { issues }), 'claim', 'Widget w');
    expect(error).toMatchObject({
      code: 'Invalid',
      issues,
      message: 'the command claim of Widget w is not valid: args.worker: is required',
    });
    expect(asCommandError(refusal('Conflict'), 'claim', 'Widget w').message).toMatch(/^Widget w: /);
  });

  it('leaves its own errors alone', () => {
    const own = new InvalidError([]);
    expect(asColonyError(own, 'x')).toBe(own);
  });
});

describe('isAbsent', () => {
  it('is true for a workflow that is not there, and false when its whole Temporal namespace is not', () => {
    expect(isAbsent(grpc(5))).toBe(true);
    const raw = Object.assign(grpc(5), { details: 'Namespace nope is not found.' });
    for (const error of [raw, new ServiceError('x', { cause: raw }), new NamespaceNotFoundError('nope')]) {
      expect(isAbsent(error)).toBe(false);
      expect(asColonyError(error, 'the list of resources').message).toBe('Temporal has no namespace "nope"');
    }
  });
});

describe('isUndecided', () => {
  it('is true for updates that a rollover swallowed, and for nothing that was decided', () => {
    expect(isUndecided(refusal('UnprocessedUpdate'))).toBe(true);
    expect(isUndecided(refusal('AcceptedUpdateCompletedWorkflow'))).toBe(true);
    expect(isUndecided(grpc(9))).toBe(true);
    expect(isUndecided(refusal('Conflict'))).toBe(false);
    expect(refusalOf(refusal('UnprocessedUpdate'))).toBeUndefined();
  });
});
