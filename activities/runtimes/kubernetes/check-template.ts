import { quote } from '../../../definitions/core/quote.ts';
import type { Template } from '../../../definitions/core/template.ts';
import { blocked, checkPolicy } from '../docker/check-policy.ts';
import type { NodePolicy } from '../policy.ts';

const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const USER = /^\d{1,10}(:\d{1,10})?$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Throws Problem `Blocked` for whatever this node does not allow, and for what Kubernetes would leave undone. */
export function checkTemplate(template: Template, policy: NodePolicy): void {
  checkPolicy(template, policy);
  const { image, network, ports, user, stop, mounts, labels, kubernetes } = template;
  if (image === undefined) throw blocked('spec.image is needed: a pod is made from an image');
  if (network !== undefined) throw blocked('spec.network is not for runtime kubernetes: the cluster has its own; leave it out');
  const published = ports.find(({ host }) => host !== undefined);
  if (published) throw blocked(`host port ${published.host} is not for runtime kubernetes: leave it out, and make a Service`);
  if (user !== undefined && !USER.test(user))
    throw blocked(`user ${quote(user)} must be a number for runtime kubernetes, such as 1000:1000`);
  if (stop.signal !== 'SIGTERM') throw blocked('killSignal is not for runtime kubernetes: it takes the signal that the image names');
  for (const { type, source } of mounts) {
    if (type === 'path' && !isBelow(policy.hostPaths, source)) {
      throw blocked(`it mounts ${quote(source)}, which this node does not allow: set COLONY_HOST_PATHS on the node, or use a claim`);
    }
  }
  for (const key of Object.keys(labels)) if (!isLabelKey(key)) throw blocked(`${quote(key)} cannot be a label in Kubernetes`);
  const namespace = kubernetes?.namespace;
  if (namespace !== undefined && (!NAMESPACE.test(namespace) || namespace.startsWith('kube-'))) {
    throw blocked(`namespace ${quote(namespace)} is not allowed: name one that does not belong to Kubernetes itself`);
  }
}

/** Links are not followed: nobody here sees the disks of the cluster. */
const isBelow = (folders: readonly string[], path: string): boolean =>
  !path.split('/').includes('..') && folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/+$/, '')}/`));

export const isLabelKey = (key: string): boolean => LABEL_KEY.test(key);

export const isLabelValue = (value: string): boolean => LABEL_VALUE.test(value);
