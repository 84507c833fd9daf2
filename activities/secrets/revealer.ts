import { ApplicationFailure } from '@temporalio/common';
import type { Template } from '../../definitions/core/template.ts';
import type { SecretStore } from './secret-store.ts';

/** `${secret:<id of the resource's workflow>#<key>}` */
const REFERENCE = /\$\{secret:([^#{}]+)#([^#{}]+)\}/g;

/**
 * Puts values in the place of the secrets that a template names, at the last moment: what comes out goes to whoever makes the instance
 * and to nobody else.
 */
export class Revealer {
  constructor(private readonly store: Pick<SecretStore, 'get'>) {}

  /** The template with the values of its environment and command. Throws SecretMissing, which names the secret and never a value. */
  async reveal(template: Template): Promise<Template> {
    const { env, command, entrypoint } = template;
    if (referencesIn(template).length === 0) return template;
    const texts = async (all: readonly string[]): Promise<string[]> => await Promise.all(all.map((text) => this.resolve(text)));
    const values = await texts(Object.values(env));
    return {
      ...template,
      env: Object.fromEntries(Object.keys(env).map((name, index) => [name, values[index] ?? ''])),
      command: await texts(command),
      entrypoint: await texts(entrypoint),
    };
  }

  /** One text with the values of the secrets that it names. */
  async resolve(text: string): Promise<string> {
    const found = new Map<string, string>();
    for (const { reference, resource, key } of referencesOf(text)) {
      const value = await this.store.get(resource, key);
      if (value === undefined) throw missing(resource, key);
      found.set(reference, value);
    }
    return text.replace(REFERENCE, (reference) => found.get(reference) ?? reference);
  }

  /** Any value with the secrets that its texts name. Throws SecretMissing. */
  async open<T>(value: T): Promise<Opened<T>> {
    const found = new Map<string, string>();
    for (const { reference, resource, key } of textsIn(value).flatMap(referencesOf)) {
      const secret = await this.store.get(resource, key);
      if (secret === undefined) throw missing(resource, key);
      found.set(reference, secret);
    }
    const put = (text: string): string => text.replace(REFERENCE, (reference) => found.get(reference) ?? reference);
    return { value: withTexts(value, put) as T, ...concealing(found) };
  }

  /** A text that somebody said who knows the values of a template: the values in it become references again. */
  async conceal(text: string, template: Template): Promise<string> {
    let concealed = text;
    for (const { reference, resource, key } of referencesIn(template)) {
      const value = await this.store.get(resource, key);
      if (value) concealed = concealed.replaceAll(value, reference);
    }
    return concealed;
  }
}

/** A value that has secrets in it, and how they are taken out again of what comes back. */
export interface Opened<T> {
  readonly value: T;
  /** A text of somebody who knows the values: they become references again, and what only looks like a reference becomes none. */
  readonly conceal: (text: string) => string;
  /** How long a value may be in such a text; 0 without any. */
  readonly longest: number;
}

interface Reference {
  readonly reference: string;
  readonly resource: string;
  readonly key: string;
}

const referencesIn = ({ env, command, entrypoint }: Template): readonly Reference[] =>
  [...Object.values(env), ...command, ...entrypoint].flatMap(referencesOf);

function referencesOf(text: string): readonly Reference[] {
  return [...text.matchAll(REFERENCE)].map(([reference, resource = '', key = '']) => ({ reference, resource, key }));
}

const missing = (resource: string, key: string): ApplicationFailure =>
  ApplicationFailure.retryable(`The secret ${key} of ${resource} is not kept on this node.`, 'SecretMissing');

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function withTexts(value: unknown, put: (text: string) => string): unknown {
  if (typeof value === 'string') return put(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, put));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withTexts(field, put)]));
}

const FORGED = '${secret:';

/** In one go: a value may stand inside the name of another one. */
function concealing(found: ReadonlyMap<string, string>): Pick<Opened<unknown>, 'conceal' | 'longest'> {
  const told = [...found].flatMap(([reference, value]) => formsOf(value).map((form) => [form, reference] as const));
  const known = new Map([...told.filter(([form]) => form !== ''), [FORGED, '$ {secret:']]);
  const forms = [...known.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  return {
    conceal: (text) => text.replace(any, (form) => known.get(form) ?? form),
    longest: Math.max(0, ...told.map(([form]) => form.length)),
  };
}

/** As a value may come back: as it is, within JSON, within an address, and if it is an address itself, without its beginning. */
function formsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const inQuery = new URL(`http://x/?${value.replaceAll('#', '%23')}`).search.slice(1);
  const ofAddress = /^https?:/.test(value) && URL.canParse(value) ? partsOf(new URL(value)) : [];
  return [
    ...new Set([
      value,
      inJson,
      JSON.stringify(inJson).slice(1, -1),
      encodeURIComponent(Buffer.from(value).toString()),
      inQuery,
      ...ofAddress,
    ]),
  ];
}

const partsOf = ({ host, hostname, pathname, search }: URL): readonly string[] =>
  [host, hostname, pathname + search, pathname].filter((part) => part.length > 1);
