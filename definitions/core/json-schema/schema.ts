import type { Pattern } from './pattern.ts';

/** The types that JSON Schema knows. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/**
 * A JSON Schema as colony works with it: read, checked and put into one form. Keywords keep their names; what several
 * dialects write in several ways is written in one.
 */
export interface Schema {
  /** Absent: any type, and each rule holds for values of its own type only. */
  readonly types?: readonly JsonType[];
  /** `enum`, or `const` as a list of one. */
  readonly allowed?: readonly unknown[];
  readonly isNullable: boolean;
  /** With the defaults of what is nested in it. */
  readonly fallback?: Fallback;
  readonly isImmutable: boolean;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: Pattern;
  readonly format?: string;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly isUnique: boolean;
  /** Fields that together tell items apart (`x-kubernetes-list-map-keys`). */
  readonly itemKeys?: readonly string[];

  readonly properties?: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
  /** What fields beside `properties` hold. */
  readonly additional?: Schema;
  /** Fields beside `properties` are welcome (true), refused (false), or not spoken of (absent). */
  readonly isOpen?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not?: Schema;
  /** Stands inside allOf, anyOf, oneOf or not: it checks a value whose shape is described elsewhere. */
  readonly isBranch: boolean;
}

/** A default and its size, so that what defaults add to a value can be bounded. */
export interface Fallback {
  readonly value: unknown;
  readonly bytes: number;
}

/** The branches that say something about the shape of a value; `not` says only what it is not. */
export const branchesOf = ({ allOf, anyOf, oneOf }: Schema): readonly Schema[] => [...allOf, ...anyOf, ...oneOf];

/** The schemas of what is nested in a value. */
export const innerOf = ({ properties, additional, items }: Schema): readonly Schema[] => [
  ...(properties?.values() ?? []),
  ...[additional, items].filter((inner) => inner !== undefined),
];

/** The schema that every value fits. */
export const ANYTHING: Schema = {
  isNullable: false,
  isImmutable: false,
  isUnique: false,
  required: [],
  allOf: [],
  anyOf: [],
  oneOf: [],
  isBranch: false,
};
