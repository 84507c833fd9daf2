import { describe, expect, it } from 'vitest';
import { pullProblem } from './pull-errors.ts';

describe('pullProblem', () => {
  it.each([
    { status: 404, said: 'manifest for x:1 not found: manifest unknown: manifest unknown', reason: 'ImageMissing' },
    {
      status: 404,
      said: "pull access denied for x, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
      reason: 'ImageMissing',
    },
    { status: undefined, said: 'no matching manifest for linux/amd64 in the manifest list entries', reason: 'ImageMissing' },
    { status: 400, said: 'invalid reference format', reason: 'ImageMissing' },
    { status: 500, said: 'Head "https://r.example/v2/x/manifests/1": unauthorized: authentication required', reason: 'PullDenied' },
    { status: 500, said: 'Get "https://r.example/v2/": no basic auth credentials', reason: 'PullDenied' },
    { status: 500, said: 'error pulling image configuration: denied: not yours', reason: 'PullDenied' },
  ])('takes "$said" for $reason', ({ status, said, reason }) => expect(pullProblem('x:1', said, status)).toMatchObject({ reason }));

  it.each([
    'Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
    'Get "https://no.example/v2/": dial tcp: lookup no.example: no such host',
    'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    'received unexpected HTTP status: 503 Service Unavailable',
    'toomanyrequests: You have reached your pull rate limit',
  ])('may pass by itself: %s', (said) => {
    expect(() => pullProblem('x:1', said, 500)).toThrow(expect.objectContaining({ name: 'RegistryUnreachable' }));
  });
});
