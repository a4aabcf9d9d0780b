import { editDistance } from '@payment-intents/contract/options'

const warned = new Set<string>()

/** Warns once of each unknown name, and does not throw: a newer page with an older script must still sell. */
export function warnOfUnknown(
  options: object | undefined,
  allowedNames: Readonly<Record<string, 1>>,
  path = '',
): void {
  const names = Object.keys(allowedNames)
  for (const name in options) {
    if (name in allowedNames) continue
    const nearest = nearly(name, names, 3)
    warn(path + name, nearest ? path + nearest : names)
  }
}

/** Warns of attributes that are nearly the script's own; others may be another script's. */
export function warnOfAttributes(element: Element, allowedNames: readonly string[]): void {
  for (const { name } of element.attributes) {
    const nearest = nearly(name, allowedNames, 6)
    if (nearest && !allowedNames.includes(name)) warn(name, nearest)
  }
}

/** The first known name that differs by less than this fraction, ignoring case. */
function nearly(name: string, allowedNames: readonly string[], part: number): string | undefined {
  return allowedNames.find(
    (each) => editDistance(name.toLowerCase(), each.toLowerCase()) * part < each.length,
  )
}

function warn(name: string, advice: string | readonly string[]): void {
  if (warned.has(name)) return
  warned.add(name)
  console.warn(`Payment Intents: unknown option \`${name}\`. Use ${advice}.`)
}
