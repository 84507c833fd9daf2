import { z } from 'zod';

/** Durations as Go and Kubernetes write them (`1h30m`), beside those of ISO 8601 (`PT1H30M`). */
const goDuration = z.string().regex(/^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+)$/);

const checks: Readonly<Record<string, { readonly says: string; readonly schema: z.ZodType }>> = {
  'date-time': { says: 'a date and time such as 2025-10-20T10:00:00Z', schema: z.iso.datetime({ offset: true }) },
  date: { says: 'a date such as 2025-10-20', schema: z.iso.date() },
  duration: { says: 'a duration such as 1h30m or PT1H30M', schema: z.union([goDuration, z.iso.duration()]) },
  email: { says: 'an e-mail address', schema: z.email() },
  hostname: { says: 'a host name', schema: z.hostname() },
  ipv4: { says: 'an IPv4 address', schema: z.ipv4() },
  ipv6: { says: 'an IPv6 address', schema: z.ipv6() },
  cidr: { says: 'an address range such as 10.0.0.0/8', schema: z.union([z.cidrv4(), z.cidrv6()]) },
  uri: { says: 'a URI such as https://example.com/a', schema: z.url() },
  uuid: { says: 'a UUID', schema: z.guid() },
  byte: { says: 'base64 text', schema: z.base64() },
};

/** Formats that only say how a number or text is stored; `int32` is also a bound. */
const silent = new Set(['int32', 'int64', 'float', 'double', 'password', 'int-or-string', 'binary', 'string']);

/** Texts beyond this length have no format that is checked here. */
const MAX_CHARS = 2_048;

/** False for formats that mean nothing here and are not checked. */
export const isKnownFormat = (format: string): boolean => silent.has(format) || Object.hasOwn(checks, format);

/** What a text must be by its format, when it is not. */
export function formatProblem(format: string, text: string): string | undefined {
  if (!Object.hasOwn(checks, format)) return undefined;
  const check = checks[format];
  const isFitting = format === 'byte' || text.length <= MAX_CHARS;
  return check && !(isFitting && check.schema.safeParse(text).success) ? check.says : undefined;
}
