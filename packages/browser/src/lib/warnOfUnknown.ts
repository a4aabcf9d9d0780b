import { editDistance } from '@payment-intents/contract/options'

const warned = new Set<string>()

/** Warns once of each name that is not known: a newer page on an older script must still sell. */
export function warnOfUnknown(
  options: object | undefined,
  knownNames: Readonly<Record<string, 1>>,
  path = '',
): void {
  const names = Object.keys(knownNames)
  for (const name in options) {
    if (name in knownNames) continue
    const nearest = nearly(name, names, 3)
    warn(path + name, nearest && path + nearest, names)
  }
}

/** Warns of attributes that are nearly the script's own; others may be another script's. */
export function warnOfAttributes(element: Element, knownNames: readonly string[]): void {
  for (const { name } of element.attributes) {
    const nearest = nearly(name, knownNames, 6)
    if (nearest && !knownNames.includes(name)) warn(name, nearest, knownNames)
  }
}

/** The first known name that differs by less than this fraction, ignoring case. */
function nearly(name: string, knownNames: readonly string[], part: number): string | undefined {
  return knownNames.find(
    (each) => editDistance(name.toLowerCase(), each.toLowerCase()) * part < each.length,
  )
}

function warn(name: string, nearest: string | undefined, known: readonly string[]): void {
  if (warned.has(name)) return
  warned.add(name)
  const advice = nearest ? `Did you mean \`${nearest}\`?` : `Known are ${known}.`
  console.warn(`Payment Intents: unknown option \`${name}\`. ${advice}`)
}
