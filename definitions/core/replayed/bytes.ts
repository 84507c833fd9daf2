/** The size of a value as JSON text in UTF-8: what the server counts, and not the number of characters. */
export const jsonBytes = (value: unknown): number => textBytes(JSON.stringify(value) ?? '');

/** The size of a text in UTF-8. */
export function textBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes += 2;
    else if (unit > 0x7f) bytes += 1; // two bytes each, and four for the two halves of a pair
  }
  return bytes;
}
