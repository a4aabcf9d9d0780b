import type { Intent } from '../../service/parseIntent.ts'
import { ExternalLink } from '../parts/ExternalLink.tsx'
import { h } from '../parts/h.ts'
import type { View } from '../view.ts'

export const walletFinder = 'https://ethereum.org/wallets/find-wallet/'

/** Pages whose publishers earn nothing by them. */
const exchanges = [
  ['get.app', walletFinder],
  ['get.exchange', 'https://ethereum.org/stablecoins/'],
  ['get.swap', null],
] as const

type Props = {
  view: View
  intent: Intent
  /** The amount to send. */
  units: bigint
}

/** Ways to get USDC for a payer who has none, or the merchant's page about them. Each opens in a new tab, and this page stays. */
export function GetUsdc({ view, intent, units }: Props) {
  const { guide, network, expires_at } = intent
  const { t } = view
  const title = t('get.title')
  // Its messages may be missing.
  if (!title) return null
  // Otherwise `none`, or a value that a later service adds.
  if (guide) return guide.startsWith('https:') ? <ExternalLink href={guide} text={title} /> : null
  return (
    <details class="about get">
      <summary>{title}</summary>
      <p>{t('get.need', { amount: view.amount(intent, units), network: network.name })}</p>
      <ol>
        {exchanges.map(([exchange, href]) => (
          <li>
            {href ? (
              <ExternalLink href={href} text={t(exchange)} />
            ) : (
              <span class="name">{t(exchange)}</span>
            )}
            <p>{t(`${exchange}.text`)}</p>
          </li>
        ))}
      </ol>
      <p>{t('get.back', { time: view.time(expires_at) })}</p>
    </details>
  )
}
