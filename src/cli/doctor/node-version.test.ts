import { expect, it } from 'vitest';
import { checkNodeVersion } from './node-version.ts';

it.each([
  { version: '18.20.0', state: 'bad' },
  { version: '20.0.0', state: 'bad' },
  { version: '20.18.3', state: 'bad' },
  { version: '20.19.0', state: 'ok' },
  { version: '22.1.0', state: 'ok' },
])('Node.js $version is $state, as package.json has it', ({ version, state }) => expect(checkNodeVersion(version).state).toBe(state));
