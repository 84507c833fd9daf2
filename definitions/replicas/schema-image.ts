import { z } from 'zod';
import { quote } from '../core/quote.ts';

const HOST = String.raw`(?:[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?`;
const PART = String.raw`[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`;
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = 'sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}';
const MAX_NAME = 255;

/** Name, tag and digest, as every engine and registry reads them. */
const REFERENCE = new RegExp(`^((?:${HOST}/)?${PART}(?:/${PART})*)(?::${TAG})?(?:@(?:${DIGEST}))?$`);
const ID = /^(?:sha256:)?[0-9a-f]{64}$/;

/** What is run: a name with or without a registry, tag and digest, or the id of an image that the node has. */
export const image = z
  .string()
  .min(1)
  .max(512)
  .superRefine((given, context) => {
    if (given === '' || isReference(given)) return;
    const small = inLowerCase(given);
    const message = isReference(small)
      ? `must be in lower case up to its tag: ${small} (got ${quote(given)})`
      : `must be an image such as busybox:1.36 or registry.example.com/team/app:1 (got ${quote(given)})`;
    context.addIssue({ code: 'custom', message });
  });

function isReference(text: string): boolean {
  return ID.test(text) || (REFERENCE.exec(text)?.[1]?.length ?? Number.POSITIVE_INFINITY) <= MAX_NAME;
}

/** The tag, which begins at a colon after the last slash, stays as it is. */
function inLowerCase(text: string): string {
  const end = text.slice(text.lastIndexOf('/') + 1).search(/[:@]/);
  const length = end < 0 ? text.length : text.lastIndexOf('/') + 1 + end;
  return text.slice(0, length).toLowerCase() + text.slice(length);
}
