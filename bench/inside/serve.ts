import type { FromChild, ToChild } from '../stage/protocol.ts';

type Answers = Readonly<Record<string, (body: never) => unknown>>;

/** Says that this process is ready, answers questions until the bench lets go of it, then stops politely and ends. */
export function serve(answers: Answers, stop: () => unknown = () => {}): void {
  process.on('message', ({ id, question, body }: ToChild) => {
    Promise.resolve()
      .then(() => {
        const answer = answers[question];
        if (!answer) throw new Error(`nobody answers ${question} here`);
        return answer(body as never);
      })
      .then(
        (answer) => say({ id, answer: answer ?? null }),
        (error: Error) => say({ id, error: error.stack ?? error.message }),
      );
  });
  process.once('disconnect', () => {
    Promise.resolve(stop()).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  say({ id: 0, answer: null });
}

/** Sends something that nobody asked for. */
export const tell = (news: unknown): void => say({ news });

function say(message: FromChild): void {
  if (process.connected) process.send?.(message);
}
