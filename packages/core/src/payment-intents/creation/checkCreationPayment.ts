import type { Hex } from 'viem'
import type { Service } from '../../service.ts'
import type { Terms } from '../intent.ts'
import { x402CreationPayment, x402CreationRefusal } from '../x402.ts'
import { newIntent } from './newIntent.ts'

/**
 * Checks the payment in a creation request before the intent is stored.
 * @throws {HttpError} if it would not be accepted
 */
export async function checkCreationPayment(
  service: Pick<Service, 'clock' | 'previewAuthorization'>,
  terms: Terms,
  header: string,
): Promise<void> {
  const payment = x402CreationPayment(header, terms, service.clock(terms.chainId).now)
  const { authorization, signature } = payment.payload
  const preview = await service.previewAuthorization({
    intent: newIntent(terms, { payable: terms.amount, referenceOnly: true }),
    ...{ authorization, signature: signature as Hex, source: 'x402' },
  })
  if (preview.type !== 'fitting') throw x402CreationRefusal(preview)
}
