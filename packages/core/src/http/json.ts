import { invalidBody } from './httpError.ts'
import { readObject } from './readRequest.ts'

/** A JSON object body. */
export type JsonBody = {
  readonly value: Record<string, unknown>
  /** The text of a top-level property's value as sent; undefined without the property. */
  textOf(property: string): string | undefined
}

/** Longer text is walked, so that `JSON.stringify` meets no deep nesting. */
const shortText = 2_000

/**
 * Parses a body strictly: UTF-8, one JSON object, no repeated property at any depth.
 * @throws {HttpError} `invalid_body`, with the position of the fault
 */
export function parseJson(body: Uint8Array): JsonBody {
  const { value, source } = readObject(body)
  // Most programs send what `JSON.stringify` writes, which repeats no property.
  if (source.length <= shortText && JSON.stringify(value) === source) {
    return { value, textOf: (property) => JSON.stringify(propertyOf(value, property)) }
  }
  const texts = topLevelTexts(source)
  return { value, textOf: (property) => texts.get(property) }
}

function propertyOf(value: Record<string, unknown>, property: string): unknown {
  return Object.hasOwn(value, property) ? value[property] : undefined
}

type Frame = { keys: Set<string>; key: string | null } | 'array'

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy
const space = /\s*/y

/** Walks valid JSON text once, refuses repeated keys and slices the top level's values. */
function topLevelTexts(source: string): Map<string, string> {
  const texts = new Map<string, string>()
  const stack: Frame[] = []
  let valueStart = 0
  let at = skip(source, 0)
  while (at < source.length) {
    token.lastIndex = at
    const text = token.exec(source)?.[0] ?? ''
    const frame = stack.at(-1)
    if (text === '{') stack.push({ keys: new Set(), key: null })
    else if (text === '[') stack.push('array')
    else if (text === '}' || text === ']' || text === ',') {
      if (frame && frame !== 'array') {
        // At the top level, the value that ends here started after its key's colon.
        if (stack.length === 1 && frame.key !== null) {
          texts.set(frame.key, source.slice(valueStart, at).trimEnd())
        }
        frame.key = null
      }
      if (text !== ',') stack.pop()
    } else if (frame && frame !== 'array' && frame.key === null && text.startsWith('"')) {
      const key: string = JSON.parse(text)
      if (frame.keys.has(key)) {
        throw invalidBody([{ path: path(stack, key), message: 'appears twice' }])
      }
      frame.keys.add(key)
      frame.key = key
    } else if (text === ':' && stack.length === 1) valueStart = skip(source, at + 1)
    at = skip(source, at + text.length)
  }
  return texts
}

function path(stack: readonly Frame[], key: string): string {
  const parents = stack.slice(0, -1).map((frame) => (frame === 'array' ? '*' : frame.key))
  return [...parents, key].join('.')
}

function skip(source: string, at: number): number {
  space.lastIndex = at
  return at + (space.exec(source)?.[0].length ?? 0)
}
