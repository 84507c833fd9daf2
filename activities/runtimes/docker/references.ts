/** The parts of an image's name that decide where it comes from. */
export interface Reference {
  /** As people write it: without the registry that is meant when none is written. */
  readonly repository: string;
  /** A tag, or `sha256:…`; absent for a bare image id. */
  readonly version?: string;
}

/** A bare image id, which no registry knows. */
export const isImageId = (image: string): boolean => /^(sha256:)?[0-9a-f]{64}$/.test(image);

export function parseReference(image: string): Reference {
  if (isImageId(image)) return { repository: image };
  const [named = image, digest] = image.split('@', 2);
  // A colon after the last slash begins a tag; one before it, a port.
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const repository = familiar(colon < 0 ? named : named.slice(0, colon));
  return { repository, version: digest ?? (colon < 0 ? 'latest' : named.slice(colon + 1)) };
}

/** What to remember of an image: the digest that its registry knows it by, else the engine's own id. */
export function pinOf(
  image: string,
  { Id, RepoDigests }: { readonly Id: string; readonly RepoDigests?: readonly string[] | null },
): string {
  const { repository } = parseReference(image);
  return RepoDigests?.find((digest) => parseReference(digest).repository === repository) ?? Id;
}

const familiar = (repository: string): string => repository.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '');
