import { z } from 'zod';
import { listed, quote } from '../core/quote.ts';
import type { Port, Probe, ProbeCheck, Probes } from '../core/template.ts';
import { type Clash, complain, given, repeated, sorted, text, words } from './schema.ts';
import { portNumber } from './schema-ports.ts';

const port = z.union([portNumber, z.string().min(1).max(63)]).describe('A number, or the name of one of the ports');
const count = z.int().min(1).max(1_000);
const seconds = z.int().min(1).max(3_600);

const header = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/),
  value: text.regex(/^[^\r\n]*$/),
});

const probe = z
  .strictObject({
    exec: z
      .strictObject({ command: words.min(1) })
      .optional()
      .describe('Passes when this command in the instance ends with 0'),
    httpGet: z
      .strictObject({
        path: text.regex(/^\/\S*$/).default('/'),
        port,
        scheme: z.enum(['HTTP', 'HTTPS', 'http', 'https']).default('HTTP'),
        httpHeaders: z
          .array(header)
          .max(50)
          .superRefine((list, context) =>
            complain(
              context,
              repeated(
                list,
                ({ name }) => name.toLowerCase(),
                (index) => [index, 'name'],
              ),
            ),
          )
          .optional(),
      })
      .optional()
      .describe('Passes when the answer is 200 to 399'),
    tcpSocket: z.strictObject({ port }).optional().describe('Passes when somebody listens'),
    taskQueue: z
      .strictObject({ name: text.min(1).max(1_000) })
      .optional()
      .describe('Passes when a worker of the instance polls this Temporal task queue'),
    initialDelaySeconds: z.int().min(0).max(3_600).default(0),
    periodSeconds: seconds.default(5),
    timeoutSeconds: seconds.default(2),
    successThreshold: count.default(1).describe('In a row'),
    failureThreshold: count.default(3).describe('In a row'),
  })
  .superRefine((one, context) => {
    const checks = CHECKS.filter((check) => one[check] !== undefined);
    if (checks.length !== 1) {
      const has = checks.length === 0 ? 'none' : checks.join(', ');
      complain(context, [{ path: [], message: `must have exactly one of ${listed(CHECKS)} (it has ${has})` }]);
    }
  });

const CHECKS = ['exec', 'httpGet', 'tcpSocket', 'taskQueue'] as const;

type ProbeSpec = z.infer<typeof probe>;

/** Probes in Kubernetes' spelling. */
export const probeFields = {
  startupProbe: onceIsEnough().optional().describe('Until it has passed once, the others are not asked'),
  readinessProbe: probe.optional().describe('Ready while it passes'),
  livenessProbe: onceIsEnough().optional().describe('Restarted when it fails'),
};

/** These end with their first success, so they cannot want several. */
function onceIsEnough() {
  return probe.superRefine(({ successThreshold }, context) => {
    if (successThreshold !== 1) complain(context, [{ path: ['successThreshold'], message: `must be 1 here (got ${successThreshold})` }]);
  });
}

export type ProbesSpec = { readonly [K in keyof typeof probeFields]?: ProbeSpec | undefined };

/** Ports that a probe calls by name must be there. */
export function probeClashes(probes: ProbesSpec, ports: readonly Port[]): Clash[] {
  const names = ports.flatMap(({ name, protocol }) => (name === undefined || protocol !== 'tcp' ? [] : [name]));
  const known = names.length > 0 ? `one of ${listed(names)}` : 'a number: no TCP port has a name';
  return (['startupProbe', 'readinessProbe', 'livenessProbe'] as const).flatMap((field) =>
    (['httpGet', 'tcpSocket'] as const).flatMap((check): Clash[] => {
      const wanted = probes[field]?.[check]?.port;
      if (typeof wanted !== 'string' || names.includes(wanted)) return [];
      return [{ path: [field, check, 'port'], message: `must be ${known} (got ${quote(wanted)})` }];
    }),
  );
}

/** In normal form. */
export function probesOf({ startupProbe, readinessProbe, livenessProbe }: ProbesSpec, ports: readonly Port[]): Probes {
  const one = (spec: ProbeSpec | undefined): Probe | undefined => {
    if (!spec) return undefined;
    const { initialDelaySeconds, periodSeconds, timeoutSeconds, successThreshold, failureThreshold } = spec;
    return { check: checkOf(spec, ports), initialDelaySeconds, periodSeconds, timeoutSeconds, successThreshold, failureThreshold };
  };
  return given({ startup: one(startupProbe), readiness: one(readinessProbe), liveness: one(livenessProbe) });
}

function checkOf({ exec, httpGet, tcpSocket, taskQueue }: ProbeSpec, ports: readonly Port[]): ProbeCheck {
  const numberOf = (port: string | number): number =>
    typeof port === 'number' ? port : (ports.find(({ name, protocol }) => name === port && protocol === 'tcp')?.container ?? 0);
  if (httpGet) {
    const { path, port, scheme, httpHeaders = [] } = httpGet;
    const headers = sorted(Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])));
    return { type: 'http', port: numberOf(port), path, scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http', headers };
  }
  if (tcpSocket) return { type: 'tcp', port: numberOf(tcpSocket.port) };
  if (taskQueue) return { type: 'taskQueue', queue: taskQueue.name };
  return { type: 'exec', command: exec?.command ?? [] };
}
