import { pathOf } from '../path.ts';
import type { Reference } from './types.ts';

/** Writes a reference as a person would. */
export const written = (reference: Reference): string => pathOf('', reference);
