import type { Template } from '../../definitions/core/template.ts';

/** A template that asks for nothing, in normal form. */
export const plainTemplate: Template = {
  runtime: 'docker',
  pullPolicy: 'IfNotPresent',
  entrypoint: [],
  command: [],
  env: {},
  mounts: [],
  ports: [],
  limits: {},
  capabilities: [],
  privileged: false,
  labels: {},
  probes: {},
  stop: { signal: 'SIGTERM', graceSeconds: 10 },
};
