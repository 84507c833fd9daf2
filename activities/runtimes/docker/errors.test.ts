import { describe, expect, it } from 'vitest';
import { EngineError, outage, startProblem, unexpected } from './errors.ts';

const modemError = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message} `), { statusCode });

describe('EngineError', () => {
  it("keeps the engine's words as one line without ids", () => {
    const error = EngineError.from(modemError(404, `network ${'a1'.repeat(32)}\nnot found\u001b[0m`));
    expect(error).toMatchObject({ status: 404, sentence: 'network … not found [0m' });
  });

  it('is not made of what is no answer', () => expect(EngineError.from(new Error('connect ECONNREFUSED'))).toBeUndefined());
});

describe('startProblem', () => {
  const endpoint = `driver failed programming external connectivity on endpoint shop (${'ab'.repeat(32)})`;
  it.each([
    { status: 500, said: `${endpoint}: Bind for 127.0.0.1:8080 failed: port is already allocated`, reason: 'PortTaken' },
    {
      status: 500,
      said: `${endpoint}: Error starting userland proxy: listen tcp4 127.0.0.1:8080: bind: address already in use`,
      reason: 'PortTaken',
    },
    {
      status: 400,
      said: 'OCI runtime create failed: runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
      reason: 'CommandNotFound',
    },
    {
      status: 400,
      said: 'failed to create shim: OCI runtime create failed: unable to start container process: exec: "/x": permission denied: unknown',
      reason: 'CommandNotFound',
    },
    { status: 400, said: 'Minimum memory limit allowed is 6MB', reason: 'StartFailed' },
    { status: 500, said: 'no space left on device', reason: 'StartFailed' },
  ])('takes "$said" for $reason', ({ status, said, reason }) => {
    expect(startProblem(EngineError.from(modemError(status, said)), 'n-1')).toMatchObject({ name: 'Problem', reason });
  });

  it('says which port, and nothing that differs the next time', () => {
    const said = `${endpoint}: Bind for 127.0.0.1:8080 failed: port is already allocated`;
    expect(startProblem(EngineError.from(modemError(500, said)), 'n-1')).toMatchObject({
      message: '127.0.0.1:8080 is already in use on node n-1: free it, or ask for another port',
    });
  });

  it.each([
    { status: 503, said: 'busy' },
    { status: 500, said: '' },
    { status: 500, said: 'context deadline exceeded' },
    { status: 500, said: 'connection error: desc = "transport: error while dialing: dial unix containerd.sock"' },
  ])('takes $status "$said" for trouble of the engine itself', ({ status, said }) => {
    expect(startProblem(EngineError.from(modemError(status, said)), 'n-1')).toMatchObject({ name: 'Unreachable' });
  });

  it('leaves everything else as it is', () => {
    const error = outage(new Error('x'));
    expect(startProblem(error, 'n-1')).toBe(error);
  });
});

describe('unexpected', () => {
  it('takes 5xx for an outage and leaves the rest', () => {
    expect(unexpected(new EngineError(500, 'x'))).toMatchObject({ name: 'Unreachable' });
    const refusal = new EngineError(400, 'x');
    expect(unexpected(refusal)).toBe(refusal);
  });
});

describe('outage', () => {
  it('says why in one word, without paths', () => {
    expect(outage(Object.assign(new Error('connect ENOENT /run/x.sock'), { code: 'ENOENT' })).message).toBe(
      'the docker engine cannot be reached (ENOENT)',
    );
  });
});
