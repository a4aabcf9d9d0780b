import { editDistance, nearestName } from '@payment-intents/contract/options'

const warned = new Set<string>()

/**
 * Warns once of each name that is not known: a newer page on an older script must still sell.
 *
 * @param known 1 where the name is one that a page may pass
 */
export function warnOfUnknown(
  given: object | undefined,
  known: Readonly<Record<string, 0 | 1>>,
  path = '',
): void {
  for (const name in given) {
    if (name in known) continue
    const options = Object.keys(known).filter((each) => known[each])
    const nearest = nearestName(name, options)
    warn(path + name, nearest && path + nearest)
  }
}

/** Warns of attributes that are nearly the script's own; others may be another script's. */
export function warnOfAttributes(element: Element, known: readonly string[]): void {
  for (const { name } of element.attributes) {
    const nearest = known.find((each) => editDistance(name, each) * 6 < each.length)
    if (nearest && !known.includes(name)) warn(name, nearest)
  }
}

function warn(name: string, nearest: string | undefined): void {
  if (warned.has(name)) return
  warned.add(name)
  const advice = nearest ? ` Did you mean \`${nearest}\`?` : ''
  console.warn(`Payment Intents: unknown option \`${name}\`.${advice}`)
}
