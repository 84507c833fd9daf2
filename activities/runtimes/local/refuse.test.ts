import { expect, it } from 'vitest';
import { template } from '../../../definitions/replicas/test-double/stage.ts';
import { Problem } from '../runtime.ts';
import { refuseForeign } from './refuse.ts';

it.each([
  { word: 'volumes', asked: { mounts: [{ type: 'path' as const, source: '/a', target: '/b', readOnly: false }] } },
  { word: 'network', asked: { network: 'n1' } },
  { word: 'user', asked: { user: '1000' } },
  { word: 'privileged', asked: { privileged: true } },
  { word: 'capabilities', asked: { capabilities: ['CHOWN'] } },
  { word: '"A-B"', asked: { env: { 'A-B': '1' } } },
])('a process that shall have what it cannot have is refused, and $word is named as people write it', ({ word, asked }) => {
  const words = ['volumes', 'network', 'user', 'privileged', 'capabilities', '"A-B"'];
  const refused = (): unknown => {
    try {
      return refuseForeign(template(1, 'good', asked));
    } catch (error) {
      return error;
    }
  };
  const problem = refused();
  expect(problem).toBeInstanceOf(Problem);
  const todo = String((problem as Problem).message).split('; ')[1] ?? '';
  expect(words.filter((one) => todo.split(/[ .]/).includes(one))).toEqual([word]);
});
