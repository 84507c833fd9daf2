/** What keeps a worker from Temporal, in a sentence for people: the SDK's own words are for those who wrote it. */
export function troubleOf(message: string, address: string): string {
  if (message.includes('dns error')) return `Temporal does not answer at ${address}: nobody knows that host`;
  if (message.includes('transport::Error')) return `Temporal does not answer at ${address}`;
  return `Temporal at ${address}: ${message}`;
}
