import { editDistance } from '@payment-intents/contract/options'

const warned = new Set<string>()

/** Warns once of each name that is not known: a newer page on an older script must still sell. */
export function warnOfUnknown(
  given: object | undefined,
  known: Readonly<Record<string, 1>>,
  path = '',
): void {
  const names = Object.keys(known)
  for (const name in given) {
    if (name in known) continue
    const nearest = nearly(name, names, 3)
    warn(path + name, nearest && path + nearest, names)
  }
}

/** Warns of attributes that are nearly the script's own; others may be another script's. */
export function warnOfAttributes(element: Element, known: readonly string[]): void {
  for (const { name } of element.attributes) {
    const nearest = nearly(name, known, 6)
    if (nearest && !known.includes(name)) warn(name, nearest, known)
  }
}

/** The first known name that differs by less than this fraction, ignoring case. */
function nearly(name: string, known: readonly string[], part: number): string | undefined {
  return known.find(
    (each) => editDistance(name.toLowerCase(), each.toLowerCase()) * part < each.length,
  )
}

function warn(name: string, nearest: string | undefined, known: readonly string[]): void {
  if (warned.has(name)) return
  warned.add(name)
  const advice = nearest ? `Did you mean \`${nearest}\`?` : `Known are ${known}.`
  console.warn(`Payment Intents: unknown option \`${name}\`. ${advice}`)
}
