const BEGINNING = '${secret:';

/** `${secret:…}` is a text of its own and no expression: it is passed on as it is to whoever puts in the value. */
export function withPassedSecrets(value: unknown): unknown {
  return namesSecret(value) ? passed(value) : value;
}

/** Most values name none, and are asked often. */
function namesSecret(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(BEGINNING);
  return typeof value === 'object' && value !== null && Object.values(value).some(namesSecret);
}

function passed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(?<!\$)\$\{secret:/g, '$$$${secret:');
  if (Array.isArray(value)) return value.map(passed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, passed(field)]));
}
