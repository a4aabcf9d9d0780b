import { type Chain, limits, type PaidPaymentLink, type RequestOf } from '@payment-intents/contract'
import { conflict, invalidBody, rateLimited } from '../http/httpError.ts'
import { isPaid } from '../payment-intents/status.ts'
import type { Service } from '../service.ts'
import { createLinkIntent } from './createLinkIntent.ts'
import { findForPayer, type OpenedLink } from './findForPayer.ts'
import { isUsedUp } from './linkStatus.ts'
import type { PaymentLink } from './paymentLink.ts'
import type { OpenPayments } from './store.ts'
import { cancelPayment, isCurrent, visitorName } from './visitorPayment.ts'

/** The seconds that a payer waits before a retry if too many payments are open. */
const patienceSeconds = 60

/**
 * Creates a payment intent of a link for its payer, or opens the visitor's existing intent.
 *
 * @param client names the client address
 * @returns JSON text
 */
export async function payPaymentLink(
  service: Service,
  { id, chain, amount_units, visitor: key, merchant }: RequestOf<'payPaymentLink'>['body'],
  client: string,
): Promise<string> {
  const opened = await findForPayer(service, { id, merchant })
  const { link } = opened
  const visitor = visitorName(key)
  const amount = linkAmount(link, amount_units)
  const { paymentLinks } = service.store
  const newest = await paymentLinks.findPayment(link.id, visitor)
  const current = isCurrent(service, newest) ? newest : null
  const isSame = current?.chain === chain && current.amount === amount
  if (current && (isSame || isPaid(current))) return present(service, current.id)

  requireOpen(opened)
  requireChain(opened, chain)
  if (current) await cancelPayment(service, link, current.id)
  const intentId = await paymentLinks.withClientLock(client, async () => {
    requireRoom(await paymentLinks.countOpen(link, client))
    return createLinkIntent(service, opened, {
      ...{ chain, amount, payer: { visitor, client } },
      // If a visitor sends two requests at the same time, the second opens the intent of the first.
      key: `visitor ${visitor} ${newest?.id ?? ''}`,
    })
  })
  await requirePlace(service, link, intentId)
  return present(service, intentId)
}

/**
 * The amount that a payer pays.
 *
 * @param named the amount that the payer names
 * @throws {HttpError} `invalid_body`
 */
function linkAmount({ amount, minAmount, maxAmount }: PaymentLink, named?: number): bigint {
  const fault = (message: string) => invalidBody([{ path: 'amount_units', message }])
  if (amount !== null) {
    if (named === undefined || BigInt(named) === amount) return amount
    throw fault(`must be ${amount}, the amount of the link`)
  }
  if (named === undefined) throw fault('is missing: the payer names the amount of this link')
  const units = BigInt(named)
  if (minAmount !== null && units < minAmount) throw fault(`must be at least ${minAmount}`)
  if (maxAmount !== null && units > maxAmount) throw fault(`must be at most ${maxAmount}`)
  return units
}

/** @throws {HttpError} `conflict` */
export function requireOpen({ status }: OpenedLink): void {
  if (status === 'open') return
  throw conflict('payment_link_closed', `The payment link is ${status.replace('_', ' ')}.`)
}

function requireChain({ chains }: OpenedLink, chain: Chain): void {
  if (chains.includes(chain)) return
  const message = `must be one of the chains of the link: ${chains.join(', ')}`
  throw invalidBody([{ path: 'chain', message }])
}

function requireRoom({ ofLink, ofClient }: OpenPayments): void {
  if (ofLink < limits.openLinkPayments && ofClient < limits.openAddressPayments) return
  throw rateLimited(patienceSeconds)
}

/** Others may have taken the last place while the intent was created: cancel it here, since nothing else will. */
async function requirePlace(service: Service, link: PaymentLink, intentId: string): Promise<void> {
  if (link.maxPayments === null) return
  const now = await service.store.paymentLinks.findForPayer(link.id)
  if (now && !isUsedUp(now.link)) return
  await cancelPayment(service, link, intentId)
  throw conflict('payment_link_closed', 'The payment link is used up.')
}

function present({ secrets }: Service, intentId: string): string {
  const paid: PaidPaymentLink = {
    payment_intent: intentId,
    client_secret: secrets.clientSecret(intentId, secrets.currentKey()),
  }
  return JSON.stringify(paid)
}
