import { existsSync, readFileSync } from 'node:fs';
import type { HandlerRequest } from '../../definitions/handled/contract.ts';

export interface Call extends HandlerRequest {
  readonly note: 'called' | 'aborted';
  /** When, ms. */
  readonly at: number;
}

/** The calls that an executor wrote down for one resource, in their order. */
export function callsIn(file: string, name: string): Call[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Call).filter(({ metadata }) => metadata.name === name);
}

/** A kind whose resources are handled by `record`. */
export function definitionOf(kind: string, handler: object): object {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: { name: `${plural}.test.example` },
    spec: {
      group: 'test.example',
      version: 'v1',
      names: { kind, plural },
      scope: 'Namespaced',
      handler: { functionName: 'record', ...handler },
      schema: {
        type: 'object',
        properties: { mode: { type: 'string', default: 'ok' }, file: { type: 'string' }, text: { type: 'string' } },
      },
    },
  };
}
