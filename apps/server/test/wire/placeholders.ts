/** Names for values that differ from run to run, such as `<pi_1>` for the first payment intent in a response. */
export type Placeholders = {
  /** Names a value that the test chose. */
  name(name: string, value: string): void
  /** Replaces the names in a recorded text with the values of this run. */
  fill(text: string): string
  /** Replaces the values in a text of this run with names, which are numbered as they appear. */
  mask(text: string): string
}

/** The values that differ from run to run. */
const kinds = {
  client_secret: /\bpi_[0-9a-z]{30}_secret_[0-9A-Za-z]{43}/,
  refund_link: /\bre_[0-9a-z]{30}_link_[0-9A-Za-z]{43}/,
  nonce: /(?<=Nonce: )[0-9a-f]{32}/,
  cursor: /\b\d{13}_(?:pi|tr|re|we)_[0-9a-z]{30}\b/,
  id: /\b(?:mer|pi|evt|tr|re|we|plink|ro|att)_[0-9a-z]{30}\b/,
  webhook_secret: /\bwhsec_[0-9A-Za-z+/]{43}=/,
  hash: /\b0x[0-9a-f]{64}\b/,
  time: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
  etag: /"[\w-]{43}(?:-br|-gzip)?"/,
  handoff: /(?<=\/checkout\/h\/)[\w-]{32}/,
  session: /(?<=checkout_session=)[\w-]{32}/,
  seconds: /(?<=Max-Age=)\d{5,}|(?<="validBefore": ?")\d{10}/,
  duration: /(?<="duration_ms": ?)\d+/,
  release: /(?<="version": ?")\d+\.\d+\.\d+[^"]*/,
  payable: /(?<="payable_amount_units": ?)\d{5,}/,
}
type Kind = keyof typeof kinds
/** All values of such a kind have the same name. */
const unnumbered = new Set<Kind>(['time', 'etag', 'seconds', 'duration', 'release', 'nonce'])

export function createPlaceholders(): Placeholders {
  const names = new Map<string, string>()
  const values = new Map<string, string>()
  const counts = new Map<string, number>()
  const any = new RegExp(
    Object.entries(kinds)
      .map(([kind, { source }]) => `(?<${kind}>${source})`)
      .join('|'),
    'g',
  )

  function name(name: string, value: string): void {
    names.set(value, name)
    values.set(name, value)
  }

  function nameOf(kind: Kind, value: string): string {
    if (unnumbered.has(kind)) return `<${kind}>`
    if (!names.has(value)) {
      const noun = kind === 'id' ? value.split('_', 1).join() : kind
      const count = (counts.get(noun) ?? 0) + 1
      counts.set(noun, count)
      name(`${noun}_${count}`, value)
    }
    return `<${names.get(value)}>`
  }

  return {
    name,
    fill: (text) =>
      text.replaceAll(/<(\w+)>/g, (_, name: string) => {
        const value = values.get(name)
        if (value === undefined) throw new Error(`Nothing is called <${name}> yet.`)
        return value
      }),
    mask(text) {
      const masked = text.replaceAll(any, (value, ...rest) => {
        const groups: Record<string, string | undefined> = rest.at(-1)
        const kind = (Object.keys(kinds) as Kind[]).find((kind) => groups[kind] !== undefined)
        return kind ? nameOf(kind, value) : value
      })
      // A value may also be inside another value, such as an amount in a payment URI.
      return [...names].reduce(
        (text, [value, name]) => text.replaceAll(complete(value), `<${name}>`),
        masked,
      )
    },
  }
}

/** A value that is not part of a longer number or word. */
function complete(value: string): RegExp {
  const escaped = value.replaceAll(/[^\w]/g, '\\$&')
  return new RegExp(`(?<![\\w<])${escaped}(?!\\w)`, 'g')
}
