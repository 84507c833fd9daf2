import { describe, expect, it } from 'vitest';
import { isClosed, openPolicy, refusalOf } from './http-policy.ts';

describe('addresses that nobody may call', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '168.63.129.16',
    '100.100.100.200',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'not-an-address',
  ])('%s is closed', (address) => expect(isClosed(address)).toBe(true));

  it.each(['127.0.0.1', '10.0.0.1', '93.184.216.34', '::1', 'fd00::1', '2001:db8::1'])('%s is open', (address) => {
    expect(isClosed(address)).toBe(false);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'file:///etc/passwd',
    'gopher://example.com/',
  ])('%s is refused by its text', (url) => expect(refusalOf(new URL(url), openPolicy)).toBeTypeOf('string'));
});

describe('COLONY_HTTP_HOSTS', () => {
  const hosts = ['api.example.com', '*.internal.example', '10.0.0.7:8080', '[::1]:9000'];
  it.each([
    ['https://api.example.com/x', true],
    ['https://API.example.com./x', true],
    ['https://evil.example.com/', false],
    ['https://api.example.com.evil.net/', false],
    ['https://a.internal.example/', true],
    ['https://internal.example/', false],
    ['https://evilinternal.example/', false],
    ['http://10.0.0.7:8080/', true],
    ['http://10.0.0.7/', false],
    ['http://[::1]:9000/', true],
    ['http://api.example.com@evil.net/', false],
  ])('%s', (url, isAllowed) => expect(refusalOf(new URL(url), { hosts }) === undefined).toBe(isAllowed));
});
