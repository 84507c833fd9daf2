import { appendFileSync } from 'node:fs';
import { defineExecutor } from 'colony/executor';

/** Writes down every call of a step, then does what it is asked for. The same as steps.py. */
export default defineExecutor({
  executorType: process.env.QUEUE ?? 'steps',
  steps: {
    combine: async (call) => {
      appendFileSync(process.env.CALLS ?? '', `${JSON.stringify(call)}\n`);
      const { failures = 0, word } = call.kwargs as { failures?: number; word: string };
      if (call.attempt <= failures) throw new Error('not this time');
      return { text: `${word} ${call.args.join('+')}`, region: call.params.region };
    },
    keep: async ({ kwargs }, { secrets }) => {
      await secrets.put('token', String(kwargs.value).toUpperCase());
      return { token: secrets.reference('token'), keys: await secrets.keys() };
    },
    use: async ({ kwargs }, { secrets }) => {
      const token = await secrets.resolve(String(kwargs.token));
      return { length: token.length, isOwn: (await secrets.get('token')) === token };
    },
  },
});
