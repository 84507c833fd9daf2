/** One line of a comparison: kept, taken away or added. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT_LINES = 3;
/** Above this many differing lines the way from one to the other is not looked for: all go, all come. */
const MAX_EDITS = 2_000;

/** The shortest edit from one text to another, by lines. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...signed(' ', before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...signed(' ', before.slice(before.length - end)),
  ];
}

const signed = (sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign, text }));

/** Myers's way: go back from the end over how far each diagonal had reached before every edit. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const trace = before.length === 0 || after.length === 0 ? undefined : edits(before, after);
  if (!trace) return [...signed('-', before), ...signed('+', after)];
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (const [d, reached] of [...trace.entries()].reverse()) {
    const k = x - y;
    const down = goesDown(reached, k, d);
    const fromX = down ? at(reached, k + 1) : at(reached, k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    for (; x > Math.max(fromX, 0) && y > Math.max(fromY, 0); x -= 1, y -= 1) lines.push({ sign: ' ', text: before[x - 1]! });
    if (d === 0) break;
    if (down) lines.push({ sign: '+', text: after[--y]! });
    else lines.push({ sign: '-', text: before[--x]! });
  }
  return lines.reverse();
}

type Reached = ReadonlyMap<number, number>;

function edits(before: readonly string[], after: readonly string[]): readonly Reached[] | undefined {
  const trace: Reached[] = [];
  const reached = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(before.length + after.length, MAX_EDITS); d++) {
    trace.push(new Map(reached));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(reached, k, d) ? at(reached, k + 1) : at(reached, k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      reached.set(k, x);
      if (x >= before.length && x - k >= after.length) return trace;
    }
  }
  return undefined;
}

const at = (reached: Reached, k: number): number => reached.get(k) ?? -1;
const goesDown = (reached: Reached, k: number, d: number): boolean => k === -d || (k !== d && at(reached, k - 1) < at(reached, k + 1));

/** Only what changed, with a few lines around it; gaps between are marked. */
export function hunks(lines: readonly DiffLine[]): readonly (DiffLine | 'gap')[] {
  const near = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') for (let i = index - CONTEXT_LINES; i <= index + CONTEXT_LINES; i++) near.add(i);
  }
  const last = lines.findLastIndex(({ sign }) => sign !== ' ');
  const shown: (DiffLine | 'gap')[] = [];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) shown.push(line);
    else if (shown.length > 0 && shown.at(-1) !== 'gap' && index < last) shown.push('gap');
  }
  return shown;
}
