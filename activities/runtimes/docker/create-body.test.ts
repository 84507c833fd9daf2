import { describe, expect, it } from 'vitest';
import type { Template } from '../../../definitions/core/template.ts';
import { owner, revisionWith } from '../../../test/support/sample-revision.ts';
import { strictPolicy } from '../policy.ts';
import { createBody } from './create-body.ts';

const scope = { cluster: 'c-1', node: 'n-1' };
const bodyOf = (changes: Partial<Template> = {}, slot = 0) =>
  createBody('shop-1', 'shop@sha256:1', { owner, revision: revisionWith(changes), slot }, scope, strictPolicy);

describe('createBody', () => {
  it('is hardened and limited for a template that asks for nothing', () => {
    expect(bodyOf()).toMatchObject({
      Image: 'shop@sha256:1',
      Hostname: 'shop-1',
      StopSignal: 'SIGTERM',
      StopTimeout: 10,
      HostConfig: {
        Privileged: false,
        CapDrop: ['ALL'],
        CapAdd: [],
        SecurityOpt: ['no-new-privileges'],
        Memory: strictPolicy.defaults.memoryBytes,
        MemorySwap: strictPolicy.defaults.memoryBytes,
        PidsLimit: strictPolicy.defaults.pids,
        RestartPolicy: { Name: 'no' },
        LogConfig: { Type: 'json-file', Config: { 'max-size': '10485760', 'max-file': '3' } },
      },
    });
  });

  it("leaves the image's own command alone unless another is asked for", () => {
    expect(bodyOf()).not.toHaveProperty('Cmd');
    expect(bodyOf()).not.toHaveProperty('Entrypoint');
    expect(bodyOf({ entrypoint: ['a'], command: ['b', 'c'] })).toMatchObject({ Entrypoint: ['a'], Cmd: ['b', 'c'] });
  });

  it('tells an instance who it is, whatever a person wrote', () => {
    expect(bodyOf({ env: { COLONY_SLOT: '9', A: '=1' } }, 2).Env).toEqual([
      'COLONY_SLOT=2',
      'A==1',
      'COLONY_INSTANCE=shop-1',
      'COLONY_RESOURCE=webservice/default/shop',
    ]);
  });

  it('publishes a fixed port for the first slot only', () => {
    const ports = [{ container: 80, host: 8080, protocol: 'tcp' as const }];
    expect(bodyOf({ ports }, 0).HostConfig?.PortBindings).toEqual({ '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '8080' }] });
    expect(bodyOf({ ports }, 1).HostConfig?.PortBindings).toEqual({ '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] });
  });

  it.each([
    { type: 'volume' as const, source: 'data', expected: { Type: 'volume', Source: 'data', Target: '/t', ReadOnly: false } },
    {
      type: 'path' as const,
      source: '/srv',
      expected: { Type: 'bind', Source: '/srv', Target: '/t', ReadOnly: false, BindOptions: { Propagation: 'rprivate' } },
    },
    { type: 'memory' as const, source: '', expected: { Type: 'tmpfs', Target: '/t', ReadOnly: false } },
  ])('mounts a $type', ({ type, source, expected }) => {
    expect(bodyOf({ mounts: [{ type, source, target: '/t', readOnly: false }] }).HostConfig?.Mounts).toEqual([expected]);
  });

  it('joins a network under the names of owner and instance; networks of the engine know no such names', () => {
    expect(bodyOf({ network: 'back' })).toMatchObject({
      HostConfig: { NetworkMode: 'back' },
      NetworkingConfig: { EndpointsConfig: { back: { Aliases: ['shop', 'shop-1'] } } },
    });
    expect(bodyOf({ network: 'bridge' })).not.toHaveProperty('NetworkingConfig');
  });
});
