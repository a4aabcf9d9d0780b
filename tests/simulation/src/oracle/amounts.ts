import { type Knowledge, type Promised, type ReadTo, until } from './knowledge.ts'

type CreatedAmount = Pick<Promised, 'chainId' | 'wallet' | 'amount'> & {
  readonly lane: 'sdk' | 'manual'
  /** Null when the creation was refused. */
  readonly payable: bigint | null
}

const cent = 10_000n

/**
 * Returns the faults of an intent's amount: "the price plus a tag below one cent that is never zero", "at most 1 % of the price or 99
 * units", "never a whole number of cents, never an open intent's price", "unique".
 */
export function amountFault(
  { amount, payable, lane, ...where }: CreatedAmount,
  readTo: ReadTo | null,
  knowledge: Knowledge,
): string | null {
  const { certainly, perhaps } = takenAt(where, readTo, knowledge)
  const last = greatest(amount)
  if (payable === null || payable === amount) {
    if (payable === null && lane === 'sdk')
      return 'refused, though its payments can have a reference'
    if (payable !== null && lane === 'manual')
      return 'made, though nothing distinguishes its payments'
    for (let free = amount + 1n; free <= last; free += 1n) {
      if (isShaped(free) && !perhaps.has(free)) return `${free} was free`
    }
    return null
  }
  if (payable < amount || payable > last) return `${payable} for ${amount}`
  if (!isShaped(payable)) return `${payable} is a whole number of cents`
  if (certainly.has(payable)) return `${payable} is taken`
  const ends = [amount + cent - 1n, last]
  const lastOfCent = ends.reduce((least, end) => (end < least ? end : least))
  const shape = payable > lastOfCent ? shapes.length : shapes.findIndex((has) => has(payable))
  for (let free = amount + 1n; free <= lastOfCent; free += 1n) {
    const shapeOfFree = shapes.findIndex((has) => has(free))
    if (shapeOfFree >= 0 && shapeOfFree < shape && !perhaps.has(free))
      return `${payable}, though ${free} was free`
    // Nearly always one of the first few is: what comes after it need not be looked at.
    if (shape === 0) break
  }
  return null
}

function greatest(amount: bigint): bigint {
  const tag = amount / 100n > 99n ? amount / 100n : 99n
  const most = BigInt(Number.MAX_SAFE_INTEGER)
  return amount + tag < most ? amount + tag : most
}

/** "First amounts whose fourth decimal is odd and the rest zero; then fourth decimal even and not zero, last two digits 01–49, sixth not zero; then the rest." */
const shapes: readonly ((amount: bigint) => boolean)[] = [
  (amount) => (amount / 100n) % 2n === 1n && amount % 100n === 0n,
  (amount) => {
    const fourth = (amount / 100n) % 10n
    const isEven = fourth % 2n === 0n && fourth !== 0n
    return isEven && amount % 100n >= 1n && amount % 100n <= 49n && amount % 10n !== 0n
  },
  isShaped,
]

function isShaped(amount: bigint): boolean {
  return amount % cent !== 0n
}

/** Amounts that others at the wallet hold, until their late windows end, or until that was read; and open prices. */
function takenAt(
  { chainId, wallet }: Pick<Promised, 'chainId' | 'wallet'>,
  readTo: ReadTo | null,
  knowledge: Knowledge,
): { certainly: ReadonlySet<bigint>; perhaps: ReadonlySet<bigint> } {
  const { chain, requestedAt, statuses } = knowledge
  const others = (requestedAt.get(wallet) ?? []).filter((other) => other.chainId === chainId)
  const open = others
    .filter(({ id }) => isOpen(statuses.get(id) ?? 'requires_payment'))
    .map((other) => other.amount)
  const heldAt = (timestamp: number) => {
    const holders = others.filter((other) => !other.referenceOnly && until(other) >= timestamp)
    return new Set([...holders.map(({ payable }) => payable), ...open])
  }
  return {
    certainly: heldAt(chain.head.timestamp),
    perhaps: heldAt(chainId === knowledge.chainId ? (readTo?.timestamp ?? 0) : 0),
  }
}

function isOpen(status: string): boolean {
  return status === 'requires_payment' || status === 'pending_confirmations'
}
