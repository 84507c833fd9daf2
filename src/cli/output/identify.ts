/** The parts of an object that name it. */
export interface Named {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** `widget.example.com`, as kubectl writes a kind in front of a name. */
export function kindLabel({ apiVersion, kind }: Pick<Named, 'apiVersion' | 'kind'>): string {
  const [group, version] = (apiVersion ?? '').split('/');
  return version === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

/** `widget.example.com/w1`. */
export const label = (object: Named): string => `${kindLabel(object)}/${object.metadata.name}`;
