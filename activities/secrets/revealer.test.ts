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

  it('opens all texts of a value, and takes what was put in out again of what comes back', async () => {
    const [user, password] = [`\${secret:${DB}#user}`, `\${secret:${DB}#password}`];
    const written = { url: `https://${user}@x`, body: { deep: [`a ${password}`, 7, null], plain: '${HOME}' } };
    const { value, conceal } = await revealer.open(written);
    expect(value).toEqual({ url: 'https://admin@x', body: { deep: ['a s3cr3t${secret:x#y}', 7, null], plain: '${HOME}' } });
    expect(conceal('hello admin, s3cr3t${secret:x#y}')).toBe(`hello ${user}, ${password}`);
    expect(conceal(encodeURIComponent('s3cr3t${secret:x#y}')), 'also as an address has it').toBe(password);
  });

  it('what looks like a reference in what somebody else said becomes none', async () => {
    const { conceal } = await revealer.open({ url: 'http://x' });
    expect(conceal(`give me \${secret:${DB}#password}`)).toBe(`give me $ {secret:${DB}#password}`);
  });

  it('knows the parts of an address that is secret as a whole', async () => {
    const hook = new Revealer({ get: async () => 'https://hooks.example.com/services/T0/B0?k=1' });
    const { conceal } = await hook.open('${secret:x#url}');
    expect(conceal('Cannot POST /services/T0/B0 of hooks.example.com')).toBe('Cannot POST ${secret:x#url} of ${secret:x#url}');
  });

  it('a value that stands inside the name of a secret does not spoil it', async () => {
    const odd = new Revealer({ get: async () => 'password' });
    const { conceal } = await odd.open('${secret:db#password}');
    expect(conceal('the password is password')).toBe('the ${secret:db#password} is ${secret:db#password}');
  });
});
