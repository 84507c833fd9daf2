import type { InstanceOwner, InstanceRevision } from '../../definitions/core/instance.ts';
import type { Template } from '../../definitions/core/template.ts';
import { plainTemplate } from './plain-template.ts';

/** Whose instances the unit tests of runtimes make. */
export const owner: InstanceOwner = { uid: 'u-1', resource: 'webservice/default/shop', name: 'shop' };

export function revisionWith(changes: Partial<Template> = {}): InstanceRevision {
  const template: Template = { ...plainTemplate, image: 'shop:1', ...changes };
  return { digest: 'abcdef0123456789', generation: 3, template };
}
