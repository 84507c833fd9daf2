/**
 * Where secrets are kept that resources only name.
 *
 * A secret belongs to a resource, by the id of its workflow, and has a key such as `password`. Its value stands nowhere else: not in a
 * spec, not in a status, not in any history.
 */
export interface SecretStore {
  /** Undefined when there is none. */
  get(resource: string, key: string): Promise<string | undefined>;
  put(resource: string, key: string, value: string): Promise<void>;
  /** The keys of a resource, sorted. */
  keys(resource: string): Promise<readonly string[]>;
  /** Everything of a resource. Nothing happens when there is nothing. */
  remove(resource: string): Promise<void>;
}
