import { describe, expect, it } from 'vitest';
import { evaluate, parse } from './json-path.ts';

const resource = {
  metadata: { name: 'w1', labels: { 'app.kubernetes.io/name': 'shop' } },
  spec: {
    replicas: 0,
    'request-uid': 'u-1',
    ports: [
      { name: 'http', port: 80 },
      { name: 'admin', port: 9000 },
    ],
  },
  status: {
    conditions: [
      { type: 'Progressing', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

describe('evaluate', () => {
  it.each([
    { path: '.spec.replicas', found: 0 },
    { path: 'spec.replicas', found: 0 },
    { path: '$.spec.replicas', found: 0 },
    { path: '{.spec.replicas}', found: 0 },
    { path: '.spec.request-uid', found: 'u-1' },
    { path: ".metadata.labels['app.kubernetes.io/name']", found: 'shop' },
    { path: '.metadata.labels["app.kubernetes.io/name"]', found: 'shop' },
    { path: '.spec.ports[0].port', found: 80 },
    { path: '.spec.ports[-1].port', found: 9000 },
    { path: '.spec.ports[7].port', found: undefined },
    { path: '.spec.ports[*].name', found: ['http', 'admin'] },
    { path: '.status.conditions[?(@.type=="Ready")].status', found: 'True' },
    { path: ".status.conditions[?(@.type == 'Ready')].status", found: 'True' },
    { path: '.status.conditions[?(@.type=="Missing")].status', found: undefined },
    { path: '.spec.ports[?(@.port>100)].name', found: 'admin' },
    { path: '.spec.ports[?(@.port)].name', found: ['http', 'admin'] },
    { path: '.spec.constructor.name', found: undefined },
    { path: '.spec.replicas.more', found: undefined },
    { path: '.nothing[0].here', found: undefined },
  ])('$path', ({ path, found }) => expect(evaluate(path, resource)).toEqual(found));

  it('refuses what it does not understand', () => {
    expect(() => parse('.spec..name')).toThrow();
    expect(() => parse('.a[?(@.b=="x" && @.c)]')).toThrow();
    expect(() => parse('.a[')).toThrow();
  });

  it('finds nothing in values that are no objects', () => {
    for (const value of [undefined, null, 1, 'text', []]) expect(evaluate('.a.b', value)).toBeUndefined();
  });
});
