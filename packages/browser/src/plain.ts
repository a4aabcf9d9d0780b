/** Removes explicit directional formatting from a name (UAX #9). */
export function plain(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
