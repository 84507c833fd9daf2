const GROUP = 'bench.example.com';

export const API_VERSION = `${GROUP}/v1`;

/** A kind with a small schema; `handled`: its handler runs in an executor, else its resources are just stored. */
export function widgetDefinition({ handled }: { readonly handled: boolean }) {
  return {
    apiVersion: 'colonies.io/v1',
    kind: 'ResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1',
      names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] },
      scope: 'Namespaced',
      handler: handled ? { executorType: 'bench-executor', functionName: 'reconcile' } : null,
      schema: {
        type: 'object',
        required: ['colour'],
        properties: {
          colour: { type: 'string', enum: ['red', 'green', 'blue'] },
          size: { type: 'integer', minimum: 1, default: 10 },
        },
      },
      columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    },
  };
}

export function widget(name: string, size: number) {
  return { apiVersion: API_VERSION, kind: 'Widget', metadata: { name, namespace: 'default' }, spec: { colour: 'red', size } };
}

export const widgetId = (name: string): string => `widgets.${GROUP}/default/${name}`;
