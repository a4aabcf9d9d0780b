import type { Classified } from './binding.ts'

/** Whether these outcomes, one per transfer, can be right together: no claim is passed over while any is left. */
export function areAllowed(
  outcomes: readonly string[],
  { assigned, different, repeated, isOver, transfers }: Classified,
): boolean {
  const isAssigned = (outcome: string) => outcome.endsWith(' by assignment')
  const byHand = outcomes.filter(isAssigned)
  if (byHand.length !== Math.min(assigned.length, outcomes.length)) return false
  if (!isPartOf(byHand, assigned)) return false

  const rest = outcomes.flatMap((outcome, at) => {
    const rules = transfers[at]
    return rules && !isAssigned(outcome) ? [{ outcome, ...rules }] : []
  })
  const signed = rest.filter(({ authorized }) => authorized !== null)
  if (signed.some(({ outcome, authorized }) => outcome !== authorized)) return false

  const open = rest.filter(({ authorized }) => authorized === null)
  const referenced = open
    .map(({ outcome }) => outcome)
    .filter((outcome) => outcome.endsWith(' by reference'))
  const claims = [...different, ...repeated]
  if (!isPartOf(referenced, claims)) return false
  const isOnce = new Set(referenced).size === Math.min(different.length, referenced.length)
  if (!isOnce && byHand.length === 0) return false
  // A reference, which is used up then, may have credited a transfer that was moved by hand.
  const least = isOver ? 0 : Math.min(claims.length - byHand.length, open.length)
  if (referenced.length < least) return false
  return open.every(
    ({ outcome, otherwise }) => outcome.endsWith(' by reference') || otherwise.has(outcome),
  )
}

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  const remaining = [...all]
  return some.every((value) => {
    const at = remaining.indexOf(value)
    if (at >= 0) remaining.splice(at, 1)
    return at >= 0
  })
}
