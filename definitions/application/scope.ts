import type { Scope } from '../core/expressions/index.ts';
import type { JsonObject } from '../core/resource.ts';

/** What can be said of a component that is not there: `has(components.x.status.y)` is false. */
export const NOTHING: JsonObject = { status: {}, secret: {}, metadata: {} };

/** What can be said of a component that is there. */
export const saidOf = (name: string, told: JsonObject): JsonObject => ({ ...NOTHING, ...told, metadata: { name } });

/** What expressions see. A secret is only named: by the id of its resource's workflow, and only of a resource that is there. */
export function scopeOf(params: JsonObject, components: JsonObject, idOf: (component: string) => string | undefined): Scope {
  return {
    values: { params, components },
    opaque: ([root, name = '', field, key]) => {
      const id = root === 'components' && field === 'secret' ? idOf(name) : undefined;
      return id === undefined ? undefined : `\${secret:${id}#${key}}`;
    },
  };
}
