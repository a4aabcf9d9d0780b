/** A name or a value, as it came. */
export type RawHeader = Buffer | string

/**
 * Headers as they came, names and values in turn, to be looked up as in `Headers`; which costs more to make than the
 * few look-ups of an answer, and throws at what it does not like.
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
