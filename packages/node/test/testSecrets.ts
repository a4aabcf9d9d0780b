import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'

/** Every way in which a value can reach a log, a report or another process. */
export function printed(value: unknown): string {
  const encoders: (() => unknown)[] = [
    () => inspect(value),
    () => inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    () => format('%s %o %j', value, value, value),
    () => JSON.stringify(value),
    () => String(value),
    () => serialize(value).toString('latin1'),
    () => serialize(value).toString('utf16le'),
    () => inspect(structuredClone(value)),
  ]
  const attempts = encoders.map((encode) => {
    try {
      return encode()
    } catch {
      return '' // Such as a function, which cannot be cloned.
    }
  })
  return [...attempts, ...strings(value, new Set())].join('\n')
}

/** Every string reachable by names, symbols, prototypes and getters. */
function strings(value: unknown, visited: Set<unknown>): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || visited.has(value)) return []
  visited.add(value)
  const texts: string[] = []
  for (let owner: unknown = value; owner && owner !== Object.prototype; ) {
    for (const key of Reflect.ownKeys(owner as object)) {
      texts.push(String(key), ...strings(Reflect.get(owner as object, key, value), visited))
    }
    owner = Object.getPrototypeOf(owner)
  }
  return texts
}

const escapes = /\\u00(..)|\\x(..)|%([\da-f]{2})|&#(\d+);|\\(.)/gi

/** The spellings of a secret that a text contains, also escaped or broken over lines. */
export function tracesOf(secret: string, text: string): string[] {
  const bytes = Buffer.from(secret)
  const spellings = new Set([secret, bytes.toString('hex'), bytes.toString('hex').toUpperCase()])
  for (const before of ['', 'x', 'xx']) {
    // Without the characters at both ends that depend on neighbouring bytes.
    const buffer = Buffer.concat([Buffer.from(before), bytes])
    spellings.add(buffer.toString('base64').slice(before.length * 2, -4))
    spellings.add(buffer.toString('base64url').slice(before.length * 2, -4))
  }
  const matches: string[] = []
  let view = text.replaceAll(/["'`] \+\s*["'`]/g, '') // How `inspect` breaks a long string.
  for (let depth = 0; depth < 5; depth += 1) {
    const unbroken = view.replaceAll(/\s/g, '')
    for (const flattened of new Set([unbroken, view.replaceAll(/\s|\\[nrt]/g, '')])) {
      for (const spelling of spellings) if (flattened.includes(spelling)) matches.push(spelling)
    }
    const read = view.replaceAll(escapes, (_, unicode, byte, url, decimal, plain) => {
      const hex = unicode ?? byte ?? url
      if (hex ?? decimal) return String.fromCharCode(hex ? Number.parseInt(hex, 16) : decimal)
      return 'nrt'.includes(plain) ? '' : plain
    })
    if (read === view) break
    view = read
  }
  return matches
}
