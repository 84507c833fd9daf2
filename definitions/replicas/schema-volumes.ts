import { z } from 'zod';
import { listed, quote } from '../core/quote.ts';
import type { Mount } from '../core/template.ts';
import { absolutePath, type Clash, complain, pathProblem, repeated, text } from './schema.ts';

const VOLUME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/;

const source = text.min(1).superRefine((value, context) => {
  const message = sourceProblem(value);
  if (message) complain(context, [{ path: [], message }]);
});

const kubernetesSources = {
  persistentVolumeClaim: z
    .strictObject({ claimName: z.string().regex(VOLUME) })
    .optional()
    .describe('A volume by name'),
  hostPath: z.strictObject({ path: absolutePath }).optional().describe('A folder of the node'),
  emptyDir: z.strictObject({}).optional().describe('Memory that is gone with the instance'),
};

const volume = z
  .strictObject({
    name: z.string().min(1).max(253).optional().describe('By which volumeMounts find it'),
    source: z
      .union([source, z.strictObject(kubernetesSources)])
      .optional()
      .describe('A folder of the node, when it begins with "/"; else the name of a volume'),
    target: absolutePath.optional().describe('Where it is in the instance'),
    host: source.optional().describe('Another word for source'),
    container: absolutePath.optional().describe('Another word for target'),
    readOnly: z.boolean().optional(),
    ...kubernetesSources,
  })
  .superRefine((one, context) => complain(context, volumeClashes(one)));

export type Volume = z.infer<typeof volume>;

/** Volumes as Docker has them (source, target), as ColonyOS has them (host, container), and as Kubernetes does (a name and a source). */
export const volumes = z.array(volume).max(100);

export const volumeMounts = z
  .array(z.strictObject({ name: z.string().min(1).max(253), mountPath: absolutePath, readOnly: z.boolean().optional() }))
  .max(100);

export type VolumeMounts = z.infer<typeof volumeMounts>;

/** What does not fit together: mounts of volumes that are not there, two things at one place. */
export function mountClashes(
  given: readonly Volume[],
  mounts: VolumeMounts,
  at: { volumes: Clash['path']; mounts: Clash['path'] },
): Clash[] {
  const names = given.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const unknown = mounts.flatMap(({ name }, index): Clash[] => {
    if (names.includes(name)) return [];
    const known = names.length > 0 ? `one of ${listed(names)}` : 'the name of one of the volumes, and none has a name';
    return [{ path: [...at.mounts, index, 'name'], message: `must be ${known} (got ${quote(name)})` }];
  });
  const targets = [
    ...given.flatMap((one, index) => {
      const target = targetOf(one);
      return target === undefined ? [] : [{ target, path: [...at.volumes, index, one.target === undefined ? 'container' : 'target'] }];
    }),
    ...mounts.map(({ mountPath }, index) => ({ target: tidy(mountPath), path: [...at.mounts, index, 'mountPath'] })),
  ];
  return [
    ...repeated(
      given,
      ({ name }) => name,
      (index) => [...at.volumes, index, 'name'],
    ),
    ...unknown,
    ...repeated(
      targets,
      ({ target }) => target,
      (index) => targets[index]?.path ?? [],
    ),
  ];
}

/** In normal form, by place. */
export function mountsOf(given: readonly Volume[] = [], mounts: VolumeMounts = []): Mount[] {
  const own = given.flatMap((one): Mount[] => {
    const target = targetOf(one);
    return target === undefined ? [] : [{ ...sourceOf(one), target, readOnly: one.readOnly ?? false }];
  });
  const named = mounts.flatMap(({ name, mountPath, readOnly }): Mount[] => {
    const one = given.find((candidate) => candidate.name === name);
    return one ? [{ ...sourceOf(one), target: tidy(mountPath), readOnly: readOnly ?? one.readOnly ?? false }] : [];
  });
  return [...own, ...named].sort((a, b) => (a.target < b.target ? -1 : 1));
}

function sourceProblem(value: string): string | undefined {
  if (value.startsWith('/')) return pathProblem(value);
  return VOLUME.test(value)
    ? undefined
    : `must be an absolute path such as /data or the name of a volume such as data (got ${quote(value)})`;
}

function volumeClashes(one: Volume): Clash[] {
  const sources = writtenSources(one);
  const target = one.target ?? one.container;
  const isPair = one.target !== undefined && one.container !== undefined && tidy(one.target) !== tidy(one.container);
  const clashes: Clash[] = isPair ? [{ path: ['container'], message: 'must be the same as target, or left out' }] : [];
  if (sources.length === 0) clashes.push({ path: ['source'], message: 'is required' });
  if (sources.length > 1) clashes.push({ path: [], message: `must have one source only (it has ${sources.join(', ')})` });
  if (target === undefined && one.name === undefined)
    clashes.push({ path: ['target'], message: 'is required, or a name that volumeMounts refer to' });
  return clashes;
}

function writtenSources(one: Volume): string[] {
  const inner = typeof one.source === 'object' ? Object.keys(one.source).map((key) => `source.${key}`) : [];
  const outer = ['host', 'persistentVolumeClaim', 'hostPath', 'emptyDir'].filter((key) => one[key as keyof Volume] !== undefined);
  return [...(typeof one.source === 'string' ? ['source'] : inner), ...outer];
}

function sourceOf(one: Volume): Pick<Mount, 'type' | 'source'> {
  const spelled = typeof one.source === 'object' ? one.source : one;
  if (spelled.emptyDir) return { type: 'memory', source: '' };
  const plain = typeof one.source === 'string' ? one.source : one.host;
  const source = spelled.persistentVolumeClaim?.claimName ?? spelled.hostPath?.path ?? plain ?? '';
  return source.startsWith('/') ? { type: 'path', source: tidy(source) } : { type: 'volume', source };
}

const targetOf = ({ target, container }: Volume): string | undefined => {
  const path = target ?? container;
  return path === undefined ? undefined : tidy(path);
};

/** `/data/` and `//data` are `/data`. */
const tidy = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
