/** A step of a page of documentation. */
export interface PageStep {
  readonly commands: string;
  /** `background`: a terminal of its own; `fails`: refused, and that is the point. */
  readonly mode: 'foreground' | 'background' | 'fails';
  /** Lines that it is said to print; `…` stands for anything. */
  readonly output: readonly string[];
  readonly line: number;
}

const FENCE = /^```(\w*) ?(\w*)$/;

/** Reads the shell blocks of a page, each with the output block that follows it. */
export function stepsOf(markdown: string): PageStep[] {
  const steps: PageStep[] = [];
  const lines = markdown.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, language, word] = FENCE.exec(lines[at] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    const body = lines.slice(at + 1, end);
    if (language === 'sh') steps.push({ commands: body.join('\n'), mode: modeOf(word), output: [], line: at + 1 });
    const last = steps.at(-1);
    if (language === 'output' && last) steps[steps.length - 1] = { ...last, output: body.filter((line) => line.trim() !== '') };
    at = end;
  }
  return steps;
}

function modeOf(word: string | undefined): PageStep['mode'] {
  return word === 'background' || word === 'fails' ? word : 'foreground';
}

/** The lines that were promised and did not come, in the order promised. */
export function missing(output: readonly string[], said: string): string[] {
  let rest = said;
  return output.filter((line) => {
    const match = patternOf(line).exec(rest);
    if (!match) return true;
    rest = rest.slice(match.index + match[0].length);
    return false;
  });
}

function patternOf(line: string): RegExp {
  const words = line.trim().split(/\s+/);
  const escaped = words.map((word) =>
    word
      .split('…')
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*?'),
  );
  return new RegExp(escaped.join('[ \\t]*'), 'm');
}
