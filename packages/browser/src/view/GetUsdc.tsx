import type { Intent } from '../parseIntent.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { newcomerMessages } from './newcomerMessages.ts'
import type { View } from './view.ts'

export const walletFinder = 'https://ethereum.org/wallets/find-wallet/'

/** Pages of nobody who earns by them. */
const ways = [
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

/** Ways to get USDC for who has none, or the merchant's page about them. Each opens beside this one, which stays. */
export function GetUsdc({ view, intent, units }: Props) {
  const { guide, network, expires_at } = intent
  const t = translated(view)
  if (guide) {
    // `none`, or what a later service may have.
    if (!guide.startsWith('https:')) return null
    return <Link href={guide} text={t('get.title')} />
  }
  return (
    <details class="about get">
      <summary>{t('get.title')}</summary>
      <p>{t('get.need', { amount: view.amount(intent, units), network: network.name })}</p>
      <ol>
        {ways.map(([way, href]) => (
          <li>
            {href ? <Link href={href} text={t(way)} /> : <span>{t(way)}</span>}
            <p>{t(`${way}.text`)}</p>
          </li>
        ))}
      </ol>
      <p>{t('get.back', { time: view.time(expires_at) })}</p>
    </details>
  )
}

/** In English where the language has no message: theirs is not among the English ones that a payer with a wallet loads. */
function translated({ t }: View) {
  return (key: keyof typeof newcomerMessages, values: Record<string, string> = {}) =>
    t(key, values) ||
    newcomerMessages[key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

function Link({ href, text }: { href: string; text: string }) {
  return (
    <a class="link" href={href} target="_blank" rel="noopener noreferrer">
      {text} <Icon name="external" />
    </a>
  )
}
