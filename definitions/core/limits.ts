/** Sizes that the server would answer with termination if we did not refuse them first (bytes of JSON). */
export const limits = {
  manifestBytes: 256 * 1024,
  /** One decision's answer, as it stands in the history. */
  decisionBytes: 512 * 1024,
  statusBytes: 128 * 1024,
  /** All that observers have told of the world, as it is kept in the state. */
  observedBytes: 64 * 1024,
  /** One activity's result as it is kept in the state. */
  observationBytes: 256 * 1024,
  memoBytes: 32 * 1024,
  carriedStateBytes: 1024 * 1024,
  searchAttributeBytes: 2_000,
  labels: 64,
  annotationsBytes: 64 * 1024,
  /** Depth of nesting of a manifest; a definition's schema needs two for each of its own levels. */
  depth: 64,
  schemaBytes: 64 * 1024,
  schemaDepth: 24,
  /** Length of one regular expression. */
  patternChars: 1_024,
  /** Steps of a pattern's machine that checking one value may cost: length of the text times size of the program. */
  patternSteps: 50_000_000,
  /** Rules that checking one value may try: fields, required ones and branches, times how often the value has such a place. */
  schemaRules: 200_000,
  /** Steps that one plan may hold. */
  steps: 1_000,
  messageChars: 1_024,
  requestIdChars: 255,
} as const;
