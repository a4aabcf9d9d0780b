import type { Screen } from '../../checkout/screen.ts'
import { manualDue, toDecimal } from '../../lib/amount.ts'
import type { Intent } from '../../service/parseIntent.ts'
import { type QrPath, qrPath } from '../content/qrPath.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { h } from '../parts/h.ts'
import type { View } from '../view.ts'
import { GetUsdc } from './GetUsdc.tsx'

type Props = { view: View; shown: Screen & { name: 'pay' } }

/** If its messages cannot be loaded, it still shows the amount and the address. */
export function QrPanel({ view, shown }: Props) {
  const { t, state } = view
  const { intent, units, qr } = shown
  const { content } = qr
  const request = paymentRequest(intent, units)
  const texts = { link: state.handoff ?? '', request, address: intent.expected_wallet }
  const text = texts[content]
  const isManual = content !== 'link'
  if (isManual && manualDue(intent) === null) return <Reservation view={view} shown={shown} />
  return (
    <div>
      {!state.onPhone && <Contents view={view} qr={qr} />}
      {isManual && <ManualPayment view={view} intent={intent} due={units} />}
      {isManual && (
        <a class="link touch" href={request}>
          {t('qr.open')}
        </a>
      )}
      {/* On a phone, the fields come before the code: payers copy more often than they scan. */}
      {state.onPhone && <Contents view={view} qr={qr} />}
      <div class="qr">{text && <Qr code={qrPath(text)} label={t(`qr.${content}.alt`)} />}</div>
      <p class="hint">{t(`qr.${content}.hint`)}</p>
      {!isManual && <p class="hint">{t('qr.exchange', { choice: t('qr.address') })}</p>}
      <GetUsdc view={view} intent={intent} units={units} />
    </div>
  )
}

/** The state before an amount is reserved: without an amount of its own, a payment by hand matches no intent. */
function Reservation({ view, shown: { qr, intent, units } }: Props) {
  const { t, state, actions } = view
  return (
    <div>
      {qr.contents.includes('link') && <Contents view={view} qr={qr} />}
      {!qr.isChosen ? (
        <button
          type="button"
          class="primary"
          part="button"
          onclick={() => actions.chooseQr(qr.content)}
        >
          {t('qr.show') || t('qr')}
        </button>
      ) : state.hasReserved ? (
        <p class="note" role="status">
          {t('qr.wallet_only', { wallets: t('wallets') }) || t('wallets')}
        </p>
      ) : (
        <p class="hint" role="status">
          {t('qr.reserving') || t('loading')}
        </p>
      )}
      <GetUsdc view={view} intent={intent} units={units} />
    </div>
  )
}

function Contents({ view, qr }: { view: View; qr: Props['shown']['qr'] }) {
  const { t, actions } = view
  return (
    <fieldset class="segments choice">
      <legend class="unseen">{t('qr.content')}</legend>
      {qr.contents.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="qr"
            checked={name === qr.content}
            onchange={() => actions.chooseQr(name)}
          />
          <span class="segment">{t(`qr.${name}`) || name}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The amount and address to enter in a wallet or at an exchange, below a warning. */
function ManualPayment({ view, intent, due }: { view: View; intent: Intent; due: bigint }) {
  const { t, amount } = view
  const values = { amount: amount(intent, due), network: intent.network.name }
  return (
    <div>
      <p class="note">
        {t('qr.exactly', values) || `${values.amount} ${t('on', values)}`} {t('qr.fee', values)}
      </p>
      <dl class="fields">
        <Field
          view={view}
          field="amount"
          value={`${toDecimal(due, intent.decimals)} ${intent.token_symbol}`}
        />
        <Field view={view} field="address" value={intent.expected_wallet} />
      </dl>
    </div>
  )
}

/** EIP-681 with plain integers only: wallets disagree about the scientific notation it allows. */
function paymentRequest(intent: Intent, due: bigint): string {
  const { token_address, chain_id, expected_wallet } = intent
  return `ethereum:${token_address}@${chain_id}/transfer?address=${expected_wallet}&uint256=${due}`
}

function Qr({ code: { size, path }, label }: { code: QrPath; label: string }) {
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  )
}

function Field({ view, field, value }: { view: View; field: 'amount' | 'address'; value: string }) {
  return (
    <div>
      <dt>{view.t(field)}</dt>
      <dd class={field === 'address' ? 'mono' : ''}>
        <bdi dir="ltr">{value}</bdi>
      </dd>
      <dd>
        <CopyButton view={view} field={field} />
      </dd>
    </div>
  )
}
