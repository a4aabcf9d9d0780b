/** A name or a value as received. */
export type RawHeader = Buffer | string

/**
 * Looks up raw headers, alternating names and values, as `Headers` does. `Headers` costs more to build than these few
 * look-ups, and throws at invalid values.
 */
export function rawHeaders(raw: readonly RawHeader[]): Pick<Headers, 'get'> {
  return {
    get(name) {
      const values: string[] = []
      for (let at = 0; at + 1 < raw.length; at += 2) {
        if (raw[at]?.length !== name.length || text(raw[at]).toLowerCase() !== name) continue
        values.push(text(raw[at + 1]).trim())
      }
      return values.length === 0 ? null : values.join(', ')
    },
  }
}

function text(part: RawHeader = ''): string {
  return typeof part === 'string' ? part : part.toString('latin1')
}
