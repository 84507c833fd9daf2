import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkWith } from '../core/issues/index.ts';
import { quote } from '../core/quote.ts';
import { image } from './schema-image.ts';

const issuesOf = (given: unknown) => {
  const checked = checkWith(image, given, 'spec.image');
  return 'issues' in checked ? checked.issues : [];
};

describe('an image', () => {
  it.each([
    'busybox',
    'busybox:1.36',
    'team/app:v1.0.0_rc-1',
    'a/b/c/d',
    'my__app--x.y_z',
    'docker.io/library/busybox:1.36',
    'localhost:5999/x:1',
    '127.0.0.1:5000/app',
    '[::1]:5000/app:1',
    'Registry.Example.com:5000/team/app',
    `busybox@sha256:${'0a'.repeat(32)}`,
    `registry.example.com/team/app:1@sha256:${'0a'.repeat(32)}`,
    `sha256:${'0a'.repeat(32)}`,
    '0a'.repeat(32),
  ])('may be %s', (given) => expect(issuesOf(given)).toEqual([]));

  it.each([
    'Busy:Box:x:@',
    'busy box',
    ' busybox',
    'busybox:',
    'busybox@',
    ':1',
    '/busybox',
    'busybox/',
    'team//app',
    '-app',
    'app-',
    'app..x',
    'a___b',
    'busybox:.1',
    `busybox:${'1'.repeat(129)}`,
    'busybox:1:2',
    'busybox@sha256:12',
    'https://registry.example.com/app',
    'registry.example.com:port/app',
    'app:ä',
    `${'a'.repeat(256)}:1`,
  ])('may not be %s', (given) =>
    expect(issuesOf(given)).toEqual([
      {
        path: 'spec.image',
        message: `must be an image such as busybox:1.36 or registry.example.com/team/app:1 (got ${quote(given)})`,
      },
    ]),
  );

  it('that would be one in lower case is told so', () => {
    expect(issuesOf('Busybox:Latest')[0]?.message).toBe('must be in lower case up to its tag: busybox:Latest (got "Busybox:Latest")');
    expect(issuesOf('registry.example.com/Team/App:1')[0]?.message).toContain('registry.example.com/team/app:1');
  });

  it('is judged at once, whatever is written', () => {
    const long = fc.array(fc.constantFrom('a', 'A', '-', '.', '_', '/', ':', '@', '1'), { minLength: 400, maxLength: 512 });
    fc.assert(
      fc.property(long, (parts) => {
        const before = performance.now();
        issuesOf(parts.join(''));
        expect(performance.now() - before).toBeLessThan(1_000);
      }),
      { numRuns: 50 },
    );
  });
});
