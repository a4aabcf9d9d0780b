import {
  type Address,
  type Chain,
  chainFacts,
  type RequestOf,
  type ResolvedPaymentLink,
  usdcDecimals,
} from '@payment-intents/contract'
import { safeNumber } from '../payment-intents/present.ts'
import type { Service } from '../service.ts'
import { findForPayer, type OpenedLink } from './findForPayer.ts'
import { pictureUrl, unitsOf } from './presentPaymentLink.ts'
import { isCurrent, visitorName } from './visitorPayment.ts'

/** Presents a link to its page, as JSON text. Creates nothing. */
export async function resolvePaymentLink(
  service: Service,
  { id, visitor, merchant, payer }: RequestOf<'resolvePaymentLink'>['body'],
): Promise<string> {
  const opened = await findForPayer(service, { id, merchant })
  const { link, merchantName, support, isReturnOrigin, status } = opened
  const [networks, newest] = await Promise.all([
    networksOf(service, opened, payer?.toLowerCase() as Address | undefined),
    visitor === undefined
      ? null
      : service.store.paymentLinks.findPayment(link.id, visitorName(visitor)),
  ])
  const payment = isCurrent(service, newest) ? newest : null
  const resolved: ResolvedPaymentLink = {
    id: link.id,
    status,
    mode: link.mode,
    amount_units: unitsOf(link.amount),
    min_units: unitsOf(link.minAmount),
    max_units: unitsOf(link.maxAmount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    description: link.description,
    return_url: isReturnOrigin ? link.returnUrl : null,
    merchant_name: merchantName,
    support,
    picture: pictureUrl(link, service.publicUrl),
    networks,
    payment: payment && {
      client_secret: service.secrets.clientSecret(payment.id, service.secrets.currentKey()),
      chain: payment.chain,
      amount_units: Number(payment.amount),
    },
  }
  return JSON.stringify(resolved)
}

function networksOf(
  service: Service,
  { link, chains }: OpenedLink,
  payer: Address | undefined,
): Promise<ResolvedPaymentLink['networks']> {
  return Promise.all(
    chains.map(async (chain: Chain) => {
      const { chainId, name } = chainFacts(link.mode, chain)
      const balance = payer ? await service.readBalance(chainId, payer) : null
      const balance_units = balance === null ? null : safeNumber(balance)
      return { chain, chain_id: chainId, name, balance_units }
    }),
  )
}
