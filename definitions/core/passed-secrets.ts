/** `${secret:…}` is a text of its own and no expression: it is passed on as it is to whoever puts in the value. */
export function withPassedSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(?<!\$)\$\{secret:/g, '$$$${secret:');
  if (Array.isArray(value)) return value.map(withPassedSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withPassedSecrets(field)]));
}
