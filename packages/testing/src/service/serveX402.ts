import { x402PaymentOf } from '@payment-intents/contract'
import {
  findForPayer,
  noSuchX402Link,
  payByX402,
  payLinkByX402,
  requireLinkPayment,
  requireX402Payment,
  type X402Response,
  type X402Submission,
  type X402Waiter,
  x402SellerRequest,
} from '@payment-intents/core'
import type { KitService } from './createKitService.ts'

/** The target of a program's payment: an intent's link, or a payment link. */
export type Payable = 'x402' | 'x402_link'

/** Responds to a program that pays. Its payment is mined at once, so no response waits. */
export async function respondX402(
  request: Request,
  { operation, id }: { readonly operation: Payable; readonly id: string },
  kit: KitService,
): Promise<X402Response> {
  const payment = x402PaymentOf((name) => request.headers.get(name))
  const sellerRequest = x402SellerRequest(request.headers.get('payment-claim') || null)
  const submission = payment === null ? null : { payment, sellerRequest }
  return operation === 'x402'
    ? respondForIntent(kit, id, submission, request)
    : respondForLink(kit, id, submission, request)
}

async function respondForIntent(
  kit: KitService,
  token: string,
  submission: X402Submission | null,
  request: Request,
): Promise<X402Response> {
  const id = kit.findBySecret('x402', token)
  const checkoutIntent = id === null ? null : await kit.store.paymentIntents.findForCheckout(id)
  if (!checkoutIntent) throw noSuchX402Link()
  if (!submission) return requireX402Payment(kit, checkoutIntent)
  return payByX402(kit, checkoutIntent, submission, waiterOf(kit, request))
}

async function respondForLink(
  kit: KitService,
  id: string,
  submission: X402Submission | null,
  request: Request,
): Promise<X402Response> {
  const opened = await findForPayer(kit, { id })
  if (!submission) return requireLinkPayment(kit, opened)
  return payLinkByX402(kit, opened, submission, waiterOf(kit, request))
}

function waiterOf(kit: KitService, request: Request): X402Waiter {
  return {
    countPayment: () => {},
    next({ id, chain }) {
      kit.chain.mine(chain, 1)
      return kit.store.paymentIntents.findForCheckout(id)
    },
    isDisconnected: () => request.signal.aborted,
  }
}

export function isX402(operation: string): operation is Payable {
  return operation === 'x402' || operation === 'x402_link'
}
