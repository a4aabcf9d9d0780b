import type { PaymentLinkStatus } from '@payment-intents/contract'
import { HttpError } from '../http/httpError.ts'
import type { Service } from '../service.ts'
import { linkStatus } from './linkStatus.ts'
import type { PayersLink } from './store.ts'

/** A link with its present state for payers. */
export type OpenedLink = PayersLink & {
  readonly status: PaymentLinkStatus
  /**
   * The chains on which a link can be paid: the merchant still has a wallet there that the service watches and that no
   * other merchant has proven.
   */
  readonly chains: PayersLink['link']['chains']
}

/**
 * Finds the link that a page names.
 * @param request.merchant the merchant that the link must belong to; absent: any
 * @throws {HttpError} `not_found`
 */
export async function findForPayer(
  service: Pick<Service, 'store' | 'now' | 'confirmations'>,
  request: { readonly id: string; readonly merchant?: string | undefined },
): Promise<OpenedLink> {
  const stored = await service.store.paymentLinks.findForPayer(request.id)
  const owner = stored?.merchant.id
  if (!stored || (request.merchant ?? owner) !== owner) throw noSuchLink()
  const { link, merchant } = stored
  const followed = service.confirmations(link.mode)
  const chains = link.chains.filter(
    (chain) => followed[chain] && merchant.wallets[chain] && !link.outrankedChains.includes(chain),
  )
  const status = chains.length > 0 ? linkStatus(link, service.now()) : 'inactive'
  return { ...stored, status, chains }
}

/** The same for a wrong id and for another merchant's link. */
function noSuchLink(): HttpError {
  return new HttpError('not_found', 'There is no payment link with this id.')
}
