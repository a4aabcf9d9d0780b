import type { ResolvedPaymentLink } from '@payment-intents/contract'
import { type AmountFault, readAmount } from './amountField.ts'
import type { Outage } from './linkRequests.ts'

/** Why a press on "Pay" created no payment. */
type Refusal = Outage | 'no_wallet'

export type LinkState = {
  /** The service's latest response; null before the first. */
  link: ResolvedPaymentLink | null
  isMissing: boolean
  /** Why the service does not return the link, and how many requests in a row have failed. */
  outage: { cause: Outage; tries: number } | null
  /** The payer's choice. */
  chain: string | null
  /** The payer's input. */
  typed: string
  /** Whether to show the input's problem: from the first press on. */
  isChecked: boolean
  isPaying: boolean
  refusal: Refusal | null
  /** The time before which the service refuses another press, in milliseconds of this browser's clock. */
  refusedUntil: number
}

export const initialLinkState: LinkState = {
  link: null,
  isMissing: false,
  outage: null,
  chain: null,
  typed: '',
  isChecked: false,
  isPaying: false,
  refusal: null,
  refusedUntil: 0,
}

type Closed = 'inactive' | 'expired' | 'used_up' | 'not_found'

export type LinkScreen =
  | { name: 'loading' }
  | { name: 'outage'; cause: Outage }
  | { name: 'closed'; why: Closed }
  /** `units`: the amount that the payer pays, or why their input is invalid. */
  | {
      name: 'open'
      link: ResolvedPaymentLink
      units: bigint | AmountFault
      network: ResolvedPaymentLink['networks'][number] | undefined
    }

export function linkScreen(state: LinkState, tag: string): LinkScreen {
  const { link, outage } = state
  if (state.isMissing) return { name: 'closed', why: 'not_found' }
  if (!link) return outage ? { name: 'outage', cause: outage.cause } : { name: 'loading' }
  const { status } = link
  // A status that a later service adds takes no payment.
  if (status !== 'open') return { name: 'closed', why: isClosed(status) ? status : 'inactive' }
  const units =
    link.amount_units === null ? readAmount(state.typed, tag, link) : BigInt(link.amount_units)
  return { name: 'open', link, units, network: networkOf(state, link, units) }
}

function isClosed(status: string): status is Closed {
  return /^(inactive|expired|used_up)$/.test(status)
}

/** The payer's choice, else the first on which the connected account has enough, else the first. */
function networkOf(
  { chain }: LinkState,
  { networks, min_units }: ResolvedPaymentLink,
  units: bigint | AmountFault,
) {
  const minUnits = typeof units === 'bigint' ? units : BigInt(min_units ?? 1)
  return (
    networks.find((network) => network.chain === chain) ??
    networks.find(
      ({ balance_units: balance }) => balance !== null && BigInt(balance) >= minUnits,
    ) ??
    networks[0]
  )
}
