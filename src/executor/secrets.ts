import { FileStore } from '../../activities/secrets/file-store.ts';
import { Revealer } from '../../activities/secrets/revealer.ts';
import { readConfig } from '../config.ts';

/**
 * Secrets of the resource that a call is about, kept on this machine (COLONY_SECRETS_DIR).
 *
 * Nothing of a value reaches Temporal unless a function puts it into its answer: hand out `reference(key)` instead, and whoever
 * makes an instance with it puts in the value there.
 */
export interface Secrets {
  put(key: string, value: string): Promise<void>;
  /** Undefined when there is none. */
  get(key: string): Promise<string | undefined>;
  keys(): Promise<readonly string[]>;
  /** All of this resource; for `finalize`. */
  remove(): Promise<void>;
  /** The text that stands for a secret in specs and outputs: `${secret:…#key}`. */
  reference(key: string): string;
  /** A text with the values of all secrets that it names, also of other resources. Throws SecretMissing. */
  resolve(text: string): Promise<string>;
}

/** @param folder where secrets are kept; asked when the first one is. */
export function secretsOf(resource: string, folder: () => string = () => readConfig().secretsDir): Secrets {
  const store = (): FileStore => new FileStore(folder());
  return {
    put: (key, value) => store().put(resource, key, value),
    get: (key) => store().get(resource, key),
    keys: () => store().keys(resource),
    remove: () => store().remove(resource),
    reference: (key) => `\${secret:${resource}#${key}}`,
    resolve: (text) => new Revealer(store()).resolve(text),
  };
}
