import type { Screen } from '../../checkout/screen.ts'
import { isUnderpaid, toDecimal } from '../../lib/amount.ts'
import { type Bought, bought } from '../content/bought.ts'
import { payNotes } from '../content/payNotes.ts'
import { tagNote } from '../content/tagNote.ts'
import { WalletPanel } from '../panels/WalletPanel.tsx'
import { Amount } from '../parts/Amount.ts'
import { h } from '../parts/h.ts'
import { Icon } from '../parts/Icon.tsx'
import { remainingMs, type View } from '../view.ts'

/** Announce the remaining time only when it is short. */
const soonMs = 300_000

type Props = { view: View; shown: Screen & { name: 'pay' } }

export function PayScreen({ view, shown }: Props) {
  const { t, amount, price } = view
  const { intent, paymentMethod, units } = shown
  const hasTabs = shown.availableMethods.length > 1
  const tag = tagNote(intent, units, view)
  const { description, items, fiat } = bought(intent)
  const ms = remainingMs(intent, view.now)
  const change = view.around?.change(shown, view)
  return (
    <div>
      <Amount text={amount(intent, units)} tag="h2" />
      {tag && <p class="about">{tag}</p>}
      <p class="about">
        {fiat && !isUnderpaid(intent) && [<bdi>{price(fiat.amount, fiat.currency)}</bdi>, ' · ']}≈{' '}
        <bdi dir="ltr">{price(toDecimal(units, intent.decimals), 'USD')}</bdi> ·{' '}
        <bdi>{intent.network.name}</bdi>
        {ms <= soonMs && <Countdown view={view} ms={ms} />}
      </p>
      {description && <p class="about what">{description}</p>}
      {change && (
        <button type="button" class="link change" onclick={change.run}>
          {change.label}
        </button>
      )}
      {items.length > 0 && <Items view={view} items={items} currency={fiat?.currency} />}
      {payNotes(shown, view).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <div key="ways" class="ways">
        {hasTabs && <PaymentMethods view={view} shown={shown} />}
        <div
          class="panel"
          id="panel"
          {...(hasTabs && { role: 'tabpanel', 'aria-labelledby': `method-${paymentMethod}` })}
        >
          {paymentMethod === 'qr' ? (
            (view.manualParts()?.QrPanel({ view, shown }) ?? <div />)
          ) : (
            <WalletPanel view={view} shown={shown} />
          )}
        </div>
      </div>
      <details class="about">
        <summary>{t('usdc.title')}</summary>
        <p>{t('usdc.text', { network: intent.network.name })}</p>
      </details>
    </div>
  )
}

type ItemsProps = Pick<Bought, 'items'> & { view: View; currency: string | undefined }

/** A long list is folded, so that the ways to pay stay in sight. */
function Items({ view, items, currency }: ItemsProps) {
  const { t, number, price } = view
  const list = (
    <ul class="items">
      {items.map((item) => (
        <li>
          <span class="name">
            {item.quantity > 1 && `${number(item.quantity)} × `}
            <bdi>{item.name}</bdi>
          </span>
          <bdi>{item.price && price(item.price, currency)}</bdi>
        </li>
      ))}
    </ul>
  )
  if (items.length < 4) return list
  return (
    <details class="about">
      <summary>{t('items')}</summary>
      {list}
    </details>
  )
}

function Countdown({ view, ms }: { view: View; ms: number }) {
  const { t, number } = view
  const seconds = Math.ceil(ms / 1000)
  const time = `${number(Math.floor(seconds / 60))}:${number(seconds % 60, 2)}`
  return (
    <span class={`countdown${seconds <= 60 ? ' soon' : ''}`}>
      <Icon name="clock" />
      <span aria-hidden="true">{time}</span>
      <span class="unseen">{t('time_remaining', { time })}</span>
    </span>
  )
}

function PaymentMethods({ view, shown }: Props) {
  const { availableMethods, paymentMethod } = shown
  const { t, actions } = view
  const move = (event: KeyboardEvent) => {
    if (!/^Arrow(Left|Right)$|^Home$|^End$/.test(event.key)) return
    event.preventDefault()
    const other =
      availableMethods[
        { Home: 0, End: 1 }[event.key] ?? 1 - availableMethods.indexOf(paymentMethod)
      ]
    if (!other) return
    actions.choosePaymentMethod(other)
    const list = event.currentTarget as HTMLElement
    list.querySelector<HTMLElement>(`#method-${other}`)?.focus()
  }
  return (
    <div class="segments" role="tablist" aria-label={t('payment_methods')} onkeydown={move}>
      {availableMethods.map((name) => (
        <button
          key={name}
          type="button"
          class="segment"
          role="tab"
          id={`method-${name}`}
          aria-selected={String(name === paymentMethod)}
          aria-controls="panel"
          tabIndex={name === paymentMethod ? 0 : -1}
          onclick={() => actions.choosePaymentMethod(name)}
        >
          <Icon name={name === 'qr' ? 'qr' : 'wallet'} />
          {t(name)}
        </button>
      ))}
    </div>
  )
}
