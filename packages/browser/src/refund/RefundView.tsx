import type { ResolvedRefund } from '@payment-intents/contract'
import { formatAmount } from '../lib/amount.ts'
import { supportLink } from '../view/content/supportLink.ts'
import { plain } from '../view/content/translator.ts'
import { h } from '../view/parts/h.ts'
import { Icon } from '../view/parts/Icon.tsx'
import { shorten } from '../view/view.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { Messages } from './messages.ts'

/** The payer's actions while a destination can be named. */
type Step =
  | { name: 'choose' }
  /** A wallet has a request. */
  | { name: 'wallet'; wallet: Wallet }
  /** A wallet named its account, and did not sign. */
  | { name: 'unsigned'; wallet: Wallet; account: string }

export type Shown = {
  /** null while the refund loads; `unknown`: the link opens no refund. */
  refund: ResolvedRefund | 'unknown' | null
  step: Step
  /** Whether the payer replaces the address that was named. */
  isReplacing: boolean
  isSending: boolean
  isOffline: boolean
  note: 'declined' | 'open' | 'failed' | 'malformed' | 'unusable' | null
  wallets: readonly Wallet[]
}

type Actions = {
  sign: (wallet: Wallet) => void
  name: (destination: string) => void
  back: () => void
  replace: () => void
}

type Fill = (key: keyof Messages, values?: Record<string, string>) => string
type Props = { shown: Shown; t: Fill; tag: string; actions: Actions }

export function RefundView({ shown, t, tag, actions }: Props) {
  const { refund } = shown
  if (refund === null) {
    return (
      <div class="page">
        <h1 tabIndex={-1}>{t('title')}</h1>
        <p role="status">{shown.isOffline && t('offline')}</p>
      </div>
    )
  }
  if (refund === 'unknown') {
    return (
      <div class="page">
        <h1 tabIndex={-1}>{t('title')}</h1>
        <p role="status">{t('unknown')}</p>
      </div>
    )
  }
  const merchant = plain(refund.merchant_name)
  const isNaming = refund.can_name_destination && (refund.destination === null || shown.isReplacing)
  return (
    <div class="page">
      <header>
        <h1 tabIndex={-1}>{t('headline', { merchant })}</h1>
        <p class="sum">
          <bdi>{`${formatAmount(BigInt(refund.amount_units), refund.decimals, tag)}\u00a0${refund.token_symbol}`}</bdi>
        </p>
        <p class="when">{t('on', { network: refund.network.name })}</p>
      </header>
      <Status refund={refund} isNaming={isNaming} t={t} merchant={merchant} />
      {shown.isOffline && <p class="fine">{t('offline')}</p>}
      {isNaming && <Naming refund={refund} shown={shown} t={t} actions={actions} />}
      {!isNaming && <Facts refund={refund} t={t} />}
      {!isNaming && refund.can_name_destination && (
        <button type="button" class="button quiet" onclick={actions.replace}>
          {t('other')}
        </button>
      )}
      {!isNaming && refund.status.startsWith('requires_') && <p class="fine">{t('return')}</p>}
      <Contact refund={refund} t={t} merchant={merchant} />
    </div>
  )
}

type StatusProps = { refund: ResolvedRefund; isNaming: boolean; t: Fill; merchant: string }

function Status({ refund, isNaming, t, merchant }: StatusProps) {
  const { status, confirmations, confirmations_required: total } = refund
  const texts: Record<string, string> = {
    requires_confirmation: t('claimed', { merchant }),
    requires_signature: t('fixed', { merchant }),
    pending: t('pending'),
    succeeded: t('succeeded'),
    canceled: t('canceled', { merchant }),
  }
  const text = isNaming ? '' : (texts[status] ?? '')
  const isPaid = status === 'succeeded'
  return (
    <div class={`verdict${isPaid ? ' proven done' : ''}`} role="status">
      {text && <Icon name={isPaid ? 'check' : status === 'canceled' ? 'alert' : 'clock'} />}
      <span>
        {text}
        {status === 'pending' && refund.tx_hash && (
          <span class="count">
            {t('confirmations', { done: String(confirmations), total: String(total) })}
          </span>
        )}
      </span>
    </div>
  )
}

type NamingProps = { refund: ResolvedRefund; shown: Shown; t: Fill; actions: Actions }

function Naming({ refund, shown, t, actions }: NamingProps) {
  const { step, wallets, isSending, note } = shown
  const network = refund.network.name
  const merchant = plain(refund.merchant_name)
  const nameOf = ({ name }: Wallet) => (name === null ? t('wallet') : plain(name))
  const wallet = step.name === 'choose' ? '' : nameOf(step.wallet)
  if (step.name === 'wallet') {
    return (
      <section key="wallet" class="naming">
        <p class="lead" role="status">
          {note === 'open' ? t('open', { wallet }) : t('opening', { wallet })}
        </p>
        <button type="button" class="button quiet" onclick={actions.back}>
          {t('back')}
        </button>
      </section>
    )
  }
  if (step.name === 'unsigned') {
    return (
      <section key="unsigned" class="naming">
        <p class="lead" role="status">
          {t('unsigned', { wallet, merchant })}
        </p>
        <p>
          <code>{step.account}</code>
        </p>
        <button
          type="button"
          class="button"
          disabled={isSending}
          onclick={() => actions.name(step.account)}
        >
          {t('use')}
        </button>
        <button type="button" class="button quiet" onclick={actions.back}>
          {t('back')}
        </button>
      </section>
    )
  }
  const isOfAddress = note === 'malformed' || note === 'unusable'
  return (
    <section key="choose" class="naming">
      <h2>{t('where')}</h2>
      <p class="note" role="alert">
        {note && !isOfAddress && t(note)}
      </p>
      {wallets.map((walletOption, index) => (
        <button
          type="button"
          class={wallets.length === 1 ? 'button' : 'button quiet'}
          key={`w${index + 1}`}
          disabled={isSending}
          onclick={() => actions.sign(walletOption)}
        >
          {walletOption.icon && (
            <img class="logo" src={walletOption.icon} alt="" width="24" height="24" />
          )}
          {t('sign', { wallet: nameOf(walletOption) })}
        </button>
      ))}
      <p class="fine">{t(wallets.length > 0 ? 'free' : 'no_wallet')}</p>
      <details open={wallets.length === 0 || isOfAddress}>
        <summary>{t('other')}</summary>
        <form
          onsubmit={(event: SubmitEvent) => {
            event.preventDefault()
            const field = (event.target as HTMLFormElement).elements.namedItem('address')
            actions.name((field as HTMLInputElement).value.trim())
          }}
        >
          <label>
            {t('address', { network })}
            <input
              name="address"
              dir="ltr"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="0x…"
              aria-describedby="hint fault"
            />
          </label>
          <p class="fine warn" id="hint">
            {t('exchange', { network })}
          </p>
          <p class="note" id="fault" role="alert">
            {isOfAddress && t(note)}
          </p>
          <button type="submit" class="button quiet" disabled={isSending}>
            {t('use')}
          </button>
        </form>
      </details>
    </section>
  )
}

function Facts({ refund, t }: { refund: ResolvedRefund; t: Fill }) {
  const { destination, tx_hash: hash, network } = refund
  const explorer = network.explorer_url?.replace(/\/$/, '')
  return (
    <dl>
      {destination && (
        <div class="row">
          <dt>{t('to')}</dt>
          <dd>
            <code>{destination}</code>
          </dd>
        </div>
      )}
      {hash && (
        <div class="row">
          <dt>{t('transaction')}</dt>
          <dd>
            {explorer ? (
              <a href={`${explorer}/tx/${hash}`} target="_blank" rel="noopener noreferrer">
                <code>{shorten(hash)}</code>
              </a>
            ) : (
              <code>{shorten(hash)}</code>
            )}
          </dd>
        </div>
      )}
    </dl>
  )
}

type ContactProps = { refund: ResolvedRefund; t: Fill; merchant: string }

function Contact({ refund: { support, id }, t, merchant }: ContactProps) {
  const link = supportLink(support, `${merchant}: ${id}`)
  if (!link) return null
  return (
    <p class="contact">
      <a
        href={link.href}
        {...(link.isPage ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      >
        {t('contact', { merchant })}
      </a>
    </p>
  )
}
