import { resolve } from 'node:path';
import { NAME_MARK, RUN_MARK } from './marks.ts';
import type { Place } from './place.ts';
import type { InstanceRecord } from './record.ts';

const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR'] as const;

/**
 * Everything a process of the instance finds in its environment: four variables of the agent, the template's, then ours.
 *
 * `PORT`, `PORT_<container>` and `PORT_<NAME>` win over the template's own: where it shall listen is only known here.
 */
export function environmentOf({ name, slot, owner, template, ports }: InstanceRecord, mark: string): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]]));
  const numbered = ports.map(({ container, host }) => [`PORT_${container}`, String(host)]);
  const named = ports.flatMap((port) => (port.name ? [[`PORT_${asVariable(port.name)}`, String(port.host)]] : []));
  return {
    ...Object.fromEntries(inherited),
    ...template.env,
    ...(ports[0] && { PORT: String(ports[0].host) }),
    ...Object.fromEntries([...numbered, ...named]),
    [NAME_MARK]: name,
    [RUN_MARK]: mark,
    COLONY_SLOT: String(slot),
    COLONY_RESOURCE: owner.resource,
  };
}

/** Where its processes start: as the template says, else in a folder that lives as long as the instance. */
export const workingDirOf = ({ template }: InstanceRecord, place: Place): string => resolve(place.work, template.workingDir ?? '');

const asVariable = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
