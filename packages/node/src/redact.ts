/** How a secret may be written, and what stands in its place. */
type Mask = readonly [spelling: string, mask: string]

/**
 * Masks the API key and every client and webhook secret in a text, also where they are written as base64 or hex.
 * A text that holds one under escapes, as in JSON or a URL, or broken over lines, is withheld as a whole.
 */
export function redact(text: string, apiKey: string): string {
  return masked(text, masksOfKey(apiKey))
}

/** An answer's body, JSON or text, without its secrets. */
export function redactBody(body: unknown, apiKey: string): unknown {
  // What is named a secret in one place may be quoted in another.
  const named = new Map<string, string>()
  mapStrings(body, (value, mask) => {
    const plausible = value.length >= shortestSpelling && value.length <= longestSecret
    if (mask && plausible && named.size < mostSecrets) named.set(value, mask)
    return value
  })
  const masks = [
    ...masksOfKey(apiKey),
    ...[...named].flatMap(([secret, mask]) => masksOf(secret, mask)),
  ]
  return mapStrings(body, (value, mask) => mask ?? masked(value, masks))
}

/**
 * A copy of a foreign error with only what explains it: HTTP libraries hang the request, and with it the
 * Authorization header, on theirs.
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

/** The `ECONNREFUSED` or `UND_ERR_SOCKET` of an error or of what caused it. */
export function errorCode(error: unknown, depth = 0): string | undefined {
  const foreign = depth > 4 ? undefined : read(error)
  return typeof foreign?.code === 'string'
    ? foreign.code
    : foreign && errorCode(foreign.cause, depth + 1)
}

const clientSecretMask = '[client secret]'
const webhookSecretMask = '[webhook secret]'

/** By the name of the field that is nothing else. */
const masksByField = new Map([
  ['client_secret', clientSecretMask],
  ['secret', webhookSecretMask],
])

const shapes = [
  // As the reference server makes them; the intent's id before it is no secret.
  [/(?<=_secret_)[\w-]+(?:[ \t]*\r?\n[ \t]*[\w-]+)*/g, clientSecretMask],
  // Any service's, also when the text ends within it.
  [/(?<="client_secret"\s*:\s*")(?!\[client ?secret\])(?:[^"\\]|\\[\s\S])+/g, clientSecretMask],
  [/(?<=\bclient_secret=)(?!\[client ?secret\])[^&\s"'<>]+/g, clientSecretMask],
  // Base64 (Standard Webhooks) with whatever escapes its `+`, `/` and `=` have.
  [/whsec_(?=[\w+/%&\\])[^\s"'<>]+(?:[ \t]*\r?\n[ \t]*[^\s"'<>]+)*/g, webhookSecretMask],
] as const

// Anything shorter is found in texts that have nothing to do with it.
const shortestSpelling = 8

// An answer is a stranger's: looking for what it names must not take forever.
const longestSecret = 1024
const mostSecrets = 16

/** A secret as it is, and as base64 and hex have it. */
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

// Of the last key: nearly always there is but one, and every answer's request id is looked through for it.
let last: { readonly apiKey: string; readonly masks: readonly Mask[] } | undefined

function masksOfKey(apiKey: string): readonly Mask[] {
  if (last?.apiKey !== apiKey) last = { apiKey, masks: masksOf(apiKey, '[api key]') }
  return last.masks
}

function masked(text: string, masks: readonly Mask[]): string {
  let found = text
  for (const [spelling, mask] of masks) found = found.replaceAll(spelling, mask)
  for (const [shape, mask] of shapes) found = found.replace(shape, mask)
  const betrays = (view: string) =>
    masks.some(([spelling]) => view.includes(spelling)) ||
    shapes.some(([shape]) => view.search(shape) >= 0)
  return views(found).some(betrays) ? '[withheld: it holds a secret in disguise]' : found
}

/** What these bytes alone decide of the base64 of a text that has so many others before them. */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = btoa('\0'.repeat(before) + String.fromCharCode(...bytes))
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}

/** What a text says to whoever undoes its escapes and joins its lines. */
function views(text: string): string[] {
  const found: string[] = []
  let view = text
  // JSON in a string of JSON in a URL.
  for (let depth = 0; depth <= 3; depth += 1) {
    found.push(view, view.replace(/\s+/g, ''), view.replace(/\s+|\\[nrt]/g, ''))
    const next = view.replace(escapes, unescaped)
    if (next === view) break
    view = next
  }
  return found
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

/** A copy of JSON with each string, names of fields too, changed; `mask`: of the field that it is in. */
function mapStrings(
  value: unknown,
  change: (text: string, mask: string | undefined) => string,
  mask?: string,
  depth = 0,
): unknown {
  if (typeof value === 'string') return change(value, mask)
  if (typeof value !== 'object' || value === null) return value
  // Whoever prints the error does so recursively.
  if (depth > 100) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, mask, depth + 1))
  const fields = Object.entries(value).map(([name, field]) => {
    const inside = mask ?? masksByField.get(name)
    return [change(name, undefined), mapStrings(field, change, inside, depth + 1)]
  })
  return Object.fromEntries(fields)
}

type ForeignError = { name: string; message: string; stack: string; code: unknown; cause: unknown }

/** By shape, since what `fetch` throws can be of another realm than this module. Its getters may throw in turn. */
function read(value: unknown): ForeignError | undefined {
  try {
    const { name, message, stack, code, cause, errors } = Object(value)
    if (typeof message !== 'string') return undefined
    return { name: `${name}`, message, stack: `${stack}`, code, cause: cause ?? errors?.[0] }
  } catch {
    return undefined
  }
}
