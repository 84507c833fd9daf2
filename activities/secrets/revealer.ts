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
  constructor(private readonly store: SecretStore) {}

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
