import { describe, expect, it } from 'vitest';
import { plainTemplate } from '../../test/support/plain-template.ts';
import { Revealer } from './revealer.ts';
import type { SecretStore } from './secret-store.ts';

const DB = 'databases.app.colonies.io/default/db';
const kept = new Map([
  [`${DB}#password`, 's3cr3t${secret:x#y}'],
  [`${DB}#user`, 'admin'],
]);
const store = { get: async (resource: string, key: string) => kept.get(`${resource}#${key}`) } as SecretStore;
const revealer = new Revealer(store);

describe('Revealer', () => {
  it('puts values into environment, command and entrypoint, and nowhere else', async () => {
    const reference = `\${secret:${DB}#password}`;
    const template = {
      ...plainTemplate,
      env: { URL: `postgres://\${secret:${DB}#user}:${reference}@db`, PLAIN: '${HOME} $x' },
      command: ['--password', reference],
      entrypoint: [`sh-${reference}`],
      labels: { note: reference },
    };
    const before = structuredClone(template);
    const revealed = await revealer.reveal(template);
    expect(revealed.env).toEqual({ URL: 'postgres://admin:s3cr3t${secret:x#y}@db', PLAIN: '${HOME} $x' });
    expect(revealed.command).toEqual(['--password', 's3cr3t${secret:x#y}']);
    expect(revealed.entrypoint).toEqual(['sh-s3cr3t${secret:x#y}']);
    expect(revealed.labels).toEqual({ note: reference });
    expect(template).toEqual(before);
  });

  it('says which secret is missing, to be tried again', async () => {
    const failing = revealer.reveal({ ...plainTemplate, env: { A: `\${secret:${DB}#token}` } });
    await expect(failing).rejects.toMatchObject({ type: 'SecretMissing', nonRetryable: false });
    await expect(failing).rejects.toThrow(new RegExp(`token of ${DB}`));
  });

  it('takes values out of what was said by somebody who knows them', async () => {
    const template = { ...plainTemplate, command: [`\${secret:${DB}#user}`] };
    expect(await revealer.conceal('exec: "admin": not found', template)).toBe(`exec: "\${secret:${DB}#user}": not found`);
    expect(await revealer.conceal('admin', plainTemplate)).toBe('admin');
  });
});
