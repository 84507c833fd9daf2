/** Remembers the answers of a pure function for the texts that were asked last. */
export function bounded<Answer>(entries: number, compute: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    const answer = compute(text);
    const oldest = known.size >= entries ? known.keys().next() : undefined;
    if (oldest && !oldest.done) known.delete(oldest.value);
    known.set(text, answer);
    return answer;
  };
}
