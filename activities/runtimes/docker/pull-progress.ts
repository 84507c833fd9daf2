/** One line of the stream in which an engine tells how a pull goes. */
export interface PullLine {
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
}

/** Adds up the layers of a pull; each line gives the text for a person. */
export function pullProgress(image: string): (line: PullLine) => string {
  const layers = new Map<string, { current: number; total: number }>();
  return ({ id, status, progressDetail }) => {
    const { current, total } = progressDetail ?? {};
    const layer = id === undefined ? undefined : layers.get(id);
    if (id !== undefined && status === 'Downloading' && current !== undefined && total) layers.set(id, { current, total });
    else if (layer && status === 'Download complete') layer.current = layer.total;
    const sum = [...layers.values()].reduce((all, one) => ({ current: all.current + one.current, total: all.total + one.total }), {
      current: 0,
      total: 0,
    });
    return sum.total === 0 ? `pulling ${image}` : `pulling ${image}: ${megabytes(sum.current)} of ${megabytes(sum.total)} MB`;
  };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
