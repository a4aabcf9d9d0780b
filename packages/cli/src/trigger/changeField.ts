import { nearestName } from '@payment-intents/contract/options'
import { UsageError } from '../usageError.ts'

/** A field of a made-up object to set, like `--override amount_units=5000000` or `--add metadata.order_id=1042`. */
export type FieldChange = {
  readonly flag: '--override' | '--add'
  /** Names separated by dots. */
  readonly path: string
  readonly value: string
}

/**
 * Overrides an existing field by a value of the field's type, or adds a new field with a text.
 *
 * @throws UsageError
 */
export function changeField(object: object, { flag, path, value }: FieldChange): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce(
    (current, name) => asRecord(fieldOf(current, name, flag)),
    asRecord(object),
  )
  if (flag === '--override') {
    parent[last] = valueLike(fieldOf(parent, last, flag), value)
    return
  }
  if (Object.hasOwn(parent, last)) {
    throw new UsageError(`--add names ${last}, a field that the event has already. Use --override.`)
  }
  // `__proto__` is a name like any other.
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true })
}

function fieldOf(parent: Record<string, unknown>, name: string, flag: string): unknown {
  if (Object.hasOwn(parent, name)) return parent[name]
  const nearest = nearestName(name, Object.keys(parent))
  // Other text may be a secret.
  const [field, guess] =
    nearest === undefined ? ['a field', ''] : [`${name}, a field`, ` Did you mean ${nearest}?`]
  throw new UsageError(
    `${flag} names ${field} that the event does not have.${guess} Only --add sets new fields, in an object like metadata.`,
  )
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new UsageError('A dot leads into an object, like metadata.order_id.')
}

/** A text field takes a text, any other field JSON; a field that is null takes both. */
function valueLike(current: unknown, text: string): unknown {
  if (typeof current === 'string') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (current === null) return text
    throw new UsageError('--override needs JSON for this field, like 5000000, true or [].')
  }
  if (current === null || kindOf(value) === kindOf(current)) return value
  throw new UsageError(`--override needs a value of the field's type: ${kindOf(current)}.`)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
