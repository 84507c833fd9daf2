/** Which resource: the parts of a workflow id, `<plural>.<group>/<namespace>/<name>`. */
export interface Identity {
  readonly plural: string;
  readonly group: string;
  /** `-` in the id and undefined here for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

const CLUSTER = '-';
const MAX_WORKFLOW_ID = 255;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** True for what Kubernetes calls a DNS-1123 label: namespaces, plurals, slots. */
export const isDnsLabel = (text: string): boolean => text.length <= 63 && DNS_LABEL.test(text);

/** True for a DNS-1123 subdomain: resource names and groups. */
export const isDnsSubdomain = (text: string): boolean => text.length <= 253 && DNS_SUBDOMAIN.test(text);

export function workflowIdOf({ plural, group, namespace, name }: Identity): string {
  return `${plural}.${group}/${namespace ?? CLUSTER}/${name}`;
}

/** Reads an id back into its parts; undefined when it is not a resource's id. */
export function identityOf(workflowId: string): Identity | undefined {
  const [type, namespace, name, ...rest] = workflowId.split('/');
  if (!type || !namespace || !name || rest.length > 0 || workflowId.length > MAX_WORKFLOW_ID) return undefined;
  const dot = type.indexOf('.');
  const plural = type.slice(0, dot);
  const group = type.slice(dot + 1);
  const known = dot > 0 && isDnsLabel(plural) && isDnsSubdomain(group) && isDnsSubdomain(name);
  if (!known || (namespace !== CLUSTER && !isDnsLabel(namespace))) return undefined;
  return { plural, group, name, ...(namespace === CLUSTER ? {} : { namespace }) };
}

/** Splits `group/version`; undefined when it is not of that form. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const [group, version, ...rest] = apiVersion.split('/');
  if (!group || !version || rest.length > 0) return undefined;
  return { group, version };
}
