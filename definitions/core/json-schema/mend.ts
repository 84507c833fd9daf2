type Level = Record<PropertyKey, unknown>;

/** Keywords that hold one schema, and those that hold several by name or by place. */
const ONE: readonly PropertyKey[] = ['items', 'not', 'additionalProperties'];
const MANY: readonly PropertyKey[] = ['properties', 'allOf', 'anyOf', 'oneOf'];

/** Words that only mean something beside others: without those there is nothing to say of them. */
const DEPENDENTS: Readonly<Record<PropertyKey, string>> = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' };

/**
 * A copy of a schema without the keywords at these places, which were refused, so that the rest can be checked as well.
 *
 * Guarantees: what is then said of the rest does not follow from what is missing. So defaults at and around these places are gone too:
 * nobody can say whether they fit.
 */
export function withoutRefused(schema: unknown, places: readonly (readonly PropertyKey[])[]): unknown {
  const copy = structuredClone(schema);
  for (const place of places) if (isLevel(copy)) drop(copy, place);
  return copy;
}

function drop(root: Level, place: readonly PropertyKey[]): void {
  let level: Level = root;
  for (let at = 0; at < place.length; ) {
    delete level.default;
    const keyword = place[at] as PropertyKey;
    const isMany = MANY.includes(keyword);
    const holder = isMany ? level[keyword] : level;
    const name = isMany ? place[at + 1] : keyword;
    const isOfSchemas = isMany || ONE.includes(keyword);
    // Only what the schema says itself: names such as "constructor" are found in every object.
    if (!isOfSchemas || !isHolder(holder) || name === undefined || !Object.hasOwn(holder, name)) return forget(level, keyword);
    const inner = holder[name];
    if (!isLevel(inner)) {
      holder[name] = {}; // it stays a field, a branch or an item, of which nothing is known
      return;
    }
    level = inner;
    at += isMany ? 2 : 1;
  }
  delete level.default;
}

function forget(level: Level, keyword: PropertyKey): void {
  delete level[keyword];
  const dependent = DEPENDENTS[keyword];
  if (dependent) delete level[dependent];
}

const isHolder = (value: unknown): value is Level => typeof value === 'object' && value !== null;

const isLevel = (value: unknown): value is Level => isHolder(value) && !Array.isArray(value);
