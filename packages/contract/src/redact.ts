/** The spellings of a secret, and their replacement. */
type Mask = readonly [spelling: string, mask: string]

/**
 * Masks the API key, the token of every x402 link and refund link, and every client and webhook secret in a text, also
 * in base64 or hex. A text with an escaped or wrapped secret, as in JSON or a URL, is withheld as a whole.
 */
export function redact(text: string, apiKey: string): string {
  return masked(text, masksOfKey(apiKey))
}

/** Masks the secrets in a response's body, JSON or text. */
export function redactBody(body: unknown, apiKey: string): unknown {
  // A secret field's value may also be quoted elsewhere.
  const named = new Map<string, string>()
  mapStrings(body, (value, mask) => {
    const plausible = value.length >= shortestSpelling && value.length <= longestSecret
    if (mask && plausible && named.size < maxSecrets) named.set(value, mask)
    return value
  })
  const masks = [
    ...masksOfKey(apiKey),
    ...[...named].flatMap(([secret, mask]) => masksOf(secret, mask)),
  ]
  return mapStrings(body, (value, mask) => mask ?? masked(value, masks))
}

/**
 * Copies only the explanatory fields of a foreign error: HTTP libraries attach the request, and with it the
 * Authorization header, to theirs.
 */
export function redactCause(error: unknown, apiKey: string, depth = 0): Error | undefined {
  const foreign = depth > 4 ? undefined : read(error)
  if (!foreign) return undefined
  const copy = new Error(redact(foreign.message, apiKey))
  copy.name = redact(foreign.name, apiKey)
  copy.stack = redact(foreign.stack, apiKey)
  const code = errorCode(error)
  if (code !== undefined) Object.assign(copy, { code: redact(code, apiKey) })
  const inner = redactCause(foreign.cause, apiKey, depth + 1)
  if (inner) copy.cause = inner
  return copy
}

/** The code of an error or of its cause, such as `ECONNREFUSED` or `UND_ERR_SOCKET`. */
export function errorCode(error: unknown, depth = 0): string | undefined {
  const foreign = depth > 4 ? undefined : read(error)
  return typeof foreign?.code === 'string'
    ? foreign.code
    : foreign && errorCode(foreign.cause, depth + 1)
}

const clientSecretMask = '[client secret]'
const x402Mask = '[x402 link]'
const refundLinkMask = '[refund link]'
const webhookSecretMask = '[webhook secret]'

/** Fields whose values are secrets. */
const masksByField = new Map([
  ['client_secret', clientSecretMask],
  ['secret', webhookSecretMask],
])

const shapes = [
  // As the reference server generates them; the preceding intent id is not secret.
  [/(?<=_secret_)[\w-]+(?:[ \t]*\r?\n[ \t]*[\w-]+)*/g, clientSecretMask],
  [/(?<=_x402_)[\w-]+(?:[ \t]*\r?\n[ \t]*[\w-]+)*/g, x402Mask],
  [/(?<=_link_)[\w-]+(?:[ \t]*\r?\n[ \t]*[\w-]+)*/g, refundLinkMask],
  // A secret of any service, even if the text is cut within it.
  [/(?<="client_secret"\s*:\s*")(?!\[client ?secret\])(?:[^"\\]|\\[\s\S])+/g, clientSecretMask],
  [/(?<=\bclient_secret=)(?!\[client ?secret\])[^&\s"'<>]+/g, clientSecretMask],
  // Base64 (Standard Webhooks), with `+`, `/` and `=` escaped in any way.
  [/whsec_(?=[\w+/%&\\])[^\s"'<>]+(?:[ \t]*\r?\n[ \t]*[^\s"'<>]+)*/g, webhookSecretMask],
] as const

// Shorter values occur in unrelated texts.
const shortestSpelling = 8

// Responses are untrusted: limit the search for the secrets that a response names.
const longestSecret = 1024
const maxSecrets = 16

/** A secret in plain text, base64 and hex. */
function spellings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before))
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const encoded = [...base64, ...url, hex, hex.toUpperCase()]
  const long = encoded.filter((text) => text.length >= shortestSpelling)
  return [...new Set([secret, ...long])]
}

function masksOf(secret: string, mask: string): Mask[] {
  return spellings(secret).map((spelling) => [spelling, mask])
}

// Cached for the last key: most processes have a single key, and every response's request id is searched for it.
let last: { readonly apiKey: string; readonly masks: readonly Mask[] } | undefined

function masksOfKey(apiKey: string): readonly Mask[] {
  // The command line may have none; an empty text is found everywhere.
  if (apiKey === '') return []
  if (last?.apiKey !== apiKey) last = { apiKey, masks: masksOf(apiKey, '[api key]') }
  return last.masks
}

function masked(text: string, masks: readonly Mask[]): string {
  let masked = text
  for (const [spelling, mask] of masks) masked = masked.replaceAll(spelling, mask)
  for (const [shape, mask] of shapes) masked = masked.replace(shape, mask)
  const betrays = (view: string) =>
    masks.some(([spelling]) => view.includes(spelling)) ||
    shapes.some(([shape]) => view.search(shape) >= 0)
  return views(masked).some(betrays) ? '[withheld: it holds a secret in disguise]' : masked
}

/** The base64 characters that these bytes determine when `before` other bytes precede them. */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = btoa('\0'.repeat(before) + String.fromCharCode(...bytes))
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}

/** Unescapes a text and joins its lines. */
function views(text: string): string[] {
  const texts: string[] = []
  let view = text
  // As deep as JSON in a JSON string in a URL.
  for (let depth = 0; depth <= 3; depth += 1) {
    texts.push(view, view.replace(/\s+/g, ''), view.replace(/\s+|\\[nrt]/g, ''))
    const next = view.replace(escapes, unescaped)
    if (next === view) break
    view = next
  }
  return texts
}

const escapes =
  /%([\da-f]{2})|\\u00([\da-f]{2})|\\x([\da-f]{2})|&#x0*([\da-f]{2});|&#0*(\d{2,3});|&(amp|lt|gt|quot);|\\([\s\S])/gi
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function unescaped(_: string, ...groups: (string | undefined)[]): string {
  const [url, unicode, byte, entityHex, decimal, entity, plain = ''] = groups
  const hex = url ?? unicode ?? byte ?? entityHex
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? ''
  return 'nrt'.includes(plain) ? '\n' : plain
}

/** Maps every string in JSON, field names included; `mask` belongs to the enclosing field. */
function mapStrings(
  value: unknown,
  change: (text: string, mask: string | undefined) => string,
  mask?: string,
  depth = 0,
): unknown {
  if (typeof value === 'string') return change(value, mask)
  if (typeof value !== 'object' || value === null) return value
  // Printing the error recurses as well.
  if (depth > 100) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, mask, depth + 1))
  const fields = Object.entries(value).map(([name, field]) => {
    const inside = mask ?? masksByField.get(name)
    return [change(name, undefined), mapStrings(field, change, inside, depth + 1)]
  })
  return Object.fromEntries(fields)
}

type ForeignError = { name: string; message: string; stack: string; code: unknown; cause: unknown }

/** Checks the shape, since `fetch` may throw errors of another realm. Their getters may throw as well. */
function read(value: unknown): ForeignError | undefined {
  try {
    const { name, message, stack, code, cause, errors } = Object(value)
    if (typeof message !== 'string') return undefined
    return { name: `${name}`, message, stack: `${stack}`, code, cause: cause ?? errors?.[0] }
  } catch {
    return undefined
  }
}
