import { z } from 'zod';
import { always } from './always.ts';
import { annotations, CLEAN_UP } from './annotations.ts';
import { isDnsLabel, isDnsSubdomain, parseApiVersion } from './identity.ts';
import { jsonBytes } from './json.ts';
import { limits } from './limits.ts';
import { listed, quote } from './quote.ts';

const RESERVED = 'colony.io/';
const KNOWN_ANNOTATIONS: readonly string[] = Object.values(annotations);
const MAX_FINALIZERS = 20;
const MAX_OWNERS = 20;
const WORD = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A text that passes a test, or a sentence that says what it must be. */
export const textThat = (isRight: (text: string) => boolean, mustBe: string) =>
  z.string().refine(isRight, { error: ({ input }) => `must be ${mustBe} (got ${quote(input)})` });

/** The name of a kind. */
export const kindName = textThat(
  (text) => text.length <= 63 && /^[A-Z][A-Za-z0-9]*$/.test(text),
  'a CamelCase word such as MyKind, at most 63 letters and digits',
);
export const dnsLabel = textThat(isDnsLabel, 'a DNS label: lower-case letters, digits and "-", at most 63 characters');
export const dnsSubdomain = textThat(isDnsSubdomain, 'a DNS name: lower-case letters, digits, "-" and ".", at most 253 characters');
/** `group/version`. */
export const apiVersion = textThat((text) => {
  const parts = parseApiVersion(text);
  return parts !== undefined && isDnsSubdomain(parts.group) && isDnsLabel(parts.version);
}, 'group/version such as example.com/v1');

const isWord = (text: string): boolean => text.length <= 63 && WORD.test(text);

/** True for `name` and `prefix/name` as Kubernetes has them for labels, annotations and finalizers. */
function isQualifiedName(text: string): boolean {
  const [name = '', prefix, ...rest] = text.split('/').reverse();
  return rest.length === 0 && isWord(name) && (prefix === undefined || isDnsSubdomain(prefix));
}

type Problem = (key: string, value: unknown) => string | undefined;

/** Every name must be a qualified one; the problem of a value is said at its name. */
const map = (problemOf: Problem, maximum: (value: object) => string | undefined) =>
  z.record(z.string(), z.string()).check(
    always(({ value, issues }) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      const say = (message: string | undefined, path: string[]) => {
        if (message) issues.push({ code: 'custom', message, path, input: value, continue: true });
      };
      say(maximum(value), []);
      for (const [key, text] of Object.entries(value)) {
        say(
          isQualifiedName(key)
            ? undefined
            : 'is not a name that is allowed: it must be name or prefix/name, of letters, digits, "-", "_" and "."',
          [key],
        );
        say(problemOf(key, text), [key]);
      }
    }),
  );

const labels = map(
  (key, value) => {
    if (key.startsWith(RESERVED)) return `is reserved: labels that begin with ${RESERVED} are colony's own`;
    if (typeof value !== 'string' || value === '' || isWord(value)) return undefined;
    return `must be empty or at most 63 letters, digits, "-", "_" and "." (got ${quote(value)})`;
  },
  (value) => (Object.keys(value).length > limits.labels ? `has too many labels: at most ${limits.labels}` : undefined),
);

const annotationMap = map(
  (key) =>
    !key.startsWith(RESERVED) || KNOWN_ANNOTATIONS.includes(key)
      ? undefined
      : `is reserved: of those that begin with ${RESERVED}, colony knows ${listed(KNOWN_ANNOTATIONS)}`,
  (value) => (jsonBytes(value) > limits.annotationsBytes ? `is too large: at most ${limits.annotationsBytes} bytes` : undefined),
);

const isFinalizer = (text: string): boolean =>
  text.includes('/') && isQualifiedName(text) && (!text.startsWith(RESERVED) || text === CLEAN_UP);

const ownerReference = z.strictObject({
  apiVersion,
  kind: kindName,
  name: dnsSubdomain,
  uid: z.string().min(1).max(255),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});

const ignored = z.unknown().optional();

/** What a person may write as metadata. What colony itself writes there is read over, so that its output can be applied again. */
export const manifestMetadata = z.strictObject({
  name: dnsSubdomain,
  namespace: dnsLabel.optional(),
  labels: labels.optional(),
  annotations: annotationMap.optional(),
  ownerReferences: z
    .array(ownerReference)
    .max(MAX_OWNERS)
    .refine((owners) => owners.filter(({ controller }) => controller).length <= 1, 'at most one owner can be the controller')
    .optional(),
  finalizers: z.array(textThat(isFinalizer, 'a name with a slash such as example.com/clean-up')).max(MAX_FINALIZERS).optional(),
  resourceVersion: z.string().max(255).optional(),
  uid: z.string().max(255).optional(),
  generation: ignored,
  creationTimestamp: ignored,
  deletionTimestamp: ignored,
  deletionGracePeriodSeconds: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  managedFields: ignored,
  selfLink: ignored,
});
