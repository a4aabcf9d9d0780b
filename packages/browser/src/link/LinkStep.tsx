import { toDecimal } from '../lib/amount.ts'
import type { Intent } from '../service/parseIntent.ts'
import { plain } from '../view/content/translator.ts'
import type { FrameView } from '../view/Frame.tsx'
import { Amount } from '../view/parts/Amount.ts'
import { h } from '../view/parts/h.ts'
import type { LinkActions } from './linkActions.ts'
import type { LinkScreen, LinkState } from './linkState.ts'
import { faultText, limitsText, refusalText } from './linkTexts.ts'

export type LinkView = FrameView & { state: LinkState; actions: LinkActions; now: number }
type Props = { view: LinkView; shown: LinkScreen & { name: 'open' } }

/** The item to pay for, the choices that the link leaves open, and the button that creates the payment. */
export function LinkStep({ view, shown }: Props) {
  const { t, price, state, actions } = view
  const { link, units } = shown
  const total = typeof units === 'bigint' ? amountOf(view, shown, units) : null
  const isWaiting = state.isPaying || view.now < state.refusedUntil
  return (
    <div>
      {link.amount_units === null ? (
        <AmountField view={view} shown={shown} />
      ) : (
        total && <Amount text={total} tag="h2" />
      )}
      <p class="about sum">
        {typeof units === 'bigint' && [
          '≈ ',
          <bdi dir="ltr">{price(toDecimal(units, link.decimals), 'USD')}</bdi>,
        ]}
        {shown.network && link.networks.length === 1 && ' · '}
        {shown.network && link.networks.length === 1 && <bdi>{plain(shown.network.name)}</bdi>}
      </p>
      <p class="about what">{plain(link.description)}</p>
      {link.picture && <img class="picture" alt="" src={link.picture} onerror={hide} />}
      <div key="ways" class="ways">
        {link.networks.length > 1 && <Networks view={view} shown={shown} />}
        {state.refusal && <p class="note">{refusalText(view, shown)}</p>}
        <button
          type="button"
          class="primary"
          part="button"
          onclick={actions.pay}
          aria-disabled={String(isWaiting)}
          aria-busy={String(state.isPaying)}
        >
          {total ? t('link.pay', { amount: total }) : t('link.pay_open')}
        </button>
      </div>
    </div>
  )
}

/** Hides a picture that cannot be loaded. */
function hide({ target }: Event) {
  ;(target as HTMLElement).hidden = true
}

/** Formats an amount of the link's token as the checkout formats the amounts of an intent. */
export function amountOf(
  { amount }: LinkView,
  { link }: Pick<Props['shown'], 'link'>,
  units: bigint,
) {
  return amount(link as object as Intent, units)
}

function AmountField({ view, shown }: Props) {
  const { t, state, actions } = view
  const { link, units } = shown
  const fault = state.isChecked && typeof units === 'string' ? faultText(view, shown, units) : ''
  const hint = limitsText(view, shown)
  return (
    <div>
      <h2 class="question" tabIndex={-1}>
        <label for="amount">{t('link.amount')}</label>
      </h2>
      <div class="field">
        <input
          id="amount"
          dir="ltr"
          inputMode="decimal"
          autocomplete="off"
          enterKeyHint="done"
          maxLength={30}
          defaultValue={state.typed}
          aria-invalid={String(fault !== '')}
          aria-describedby="limits"
          oninput={actions.type}
          onkeydown={actions.enter}
        />
        <small>{link.token_symbol}</small>
      </div>
      <p id="limits" class={fault ? 'limits fault' : 'limits'}>
        {fault || hint}
      </p>
    </div>
  )
}

function Networks({ view, shown }: Props) {
  const { t, actions } = view
  const { link, network } = shown
  return (
    <fieldset class="networks">
      <legend>{t('link.network')}</legend>
      {link.networks.map(({ chain, name, balance_units: balance }) => (
        <label key={chain}>
          <input
            type="radio"
            name="network"
            checked={chain === network?.chain}
            onchange={() => actions.choose(chain)}
          />
          <span class="name">
            <bdi>{plain(name)}</bdi>
          </span>
          <small>
            {balance === null
              ? ''
              : t('link.balance', { amount: amountOf(view, shown, BigInt(balance)) })}
          </small>
        </label>
      ))}
    </fieldset>
  )
}
