import { manualDue, priceDue, toDecimal } from '../amount.ts'
import type { Intent } from '../parseIntent.ts'
import type { CopyField, QrContent } from '../state.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import type { QrPath } from './qrPath.ts'
import { tagNote } from './tagNote.ts'
import type { View } from './view.ts'

type Props = { view: View; intent: Intent }

export function QrPanel({ view, intent }: Props) {
  const { t, state, actions } = view
  const due = manualDue(intent) ?? priceDue(intent)
  const request = paymentRequest(intent, due)
  const { handoff, onPhone } = state
  // A phone cannot scan its own screen to open the page there; where the link is not there yet, so is its place.
  const contents: readonly QrContent[] =
    onPhone || handoff === null ? ['request', 'address'] : ['link', 'request', 'address']
  const chosen = state.qrContent
  const [first = 'request'] = intent.lane === 'manual' ? [] : contents
  const content = chosen && contents.includes(chosen) ? chosen : first
  const texts = { link: handoff ?? '', request, address: intent.expected_wallet }
  const code = view.qr(texts[content])
  return (
    <div>
      <div class="qr">{code && <Qr code={code} label={t(`qr.${content}.alt`)} />}</div>
      <fieldset class="choice">
        <legend class="unseen">{t('qr.content')}</legend>
        {contents.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="qr"
              checked={name === content}
              onchange={() => actions.chooseQr(name)}
            />
            <span>{t(`qr.${name}`)}</span>
          </label>
        ))}
      </fieldset>
      <p class="hint">{t(`qr.${content}.hint`)}</p>
      {content !== 'link' && <ByHand view={view} intent={intent} due={due} request={request} />}
    </div>
  )
}

/** What is entered in a wallet or at an exchange. */
function ByHand({ view, intent, due, request }: Props & { due: bigint; request: string }) {
  const { t, amount } = view
  const tag = tagNote(intent, due, view)
  return (
    <div>
      <a class="link touch" href={request}>
        {t('qr.open')}
      </a>
      <dl class="fields">
        <Field
          view={view}
          field="amount"
          value={`${toDecimal(due, intent.decimals)} ${intent.token_symbol}`}
        />
        <Field view={view} field="address" value={intent.expected_wallet} />
      </dl>
      {tag && <p class="fine">{tag}</p>}
      <p class="note">
        {t('qr.exactly', { amount: amount(intent, due), network: intent.network.name })}
      </p>
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

function Field({ view, field, value }: { view: View; field: CopyField; value: string }) {
  const { t, state, actions } = view
  const copied = state.copied === field
  return (
    <div>
      <dt>{t(field)}</dt>
      <dd class={field === 'address' ? 'mono' : ''}>
        <bdi dir="ltr">{value}</bdi>
      </dd>
      <dd>
        <button
          type="button"
          class={copied ? 'copied' : ''}
          aria-label={t(copied ? `${field}.copied` : `${field}.copy`)}
          onclick={() => actions.copy(field)}
        >
          <Icon name={copied ? 'check' : 'copy'} />
          {t(copied ? 'copied' : 'copy')}
        </button>
      </dd>
    </div>
  )
}
