import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonical } from './json.ts';

/** SHA-256 of a JSON value, in hex: equal values give equal digests, whatever order their keys were written in. */
export function digestOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonical(value))));
}
