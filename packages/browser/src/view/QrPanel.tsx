import { amountDue, toDecimal } from '../amount.ts'
import type { CopyField } from '../checkout.ts'
import type { Intent } from '../parseIntent.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { qrPath } from './qrPath.ts'
import type { View } from './view.ts'

type Props = { view: View; intent: Intent }

export function QrPanel({ view, intent }: Props) {
  const { messages, state, actions, amount } = view
  const due = amountDue(intent)
  const request = paymentRequest(intent, due)
  const content = state.qrContent
  return (
    <div>
      <div class="qr">
        <Qr
          text={content === 'request' ? request : intent.expected_wallet}
          label={messages.qrAlt[content]}
        />
      </div>
      <fieldset class="choice">
        <legend class="unseen">{messages.qrContent}</legend>
        {(['request', 'address'] as const).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="qr"
              checked={name === content}
              onchange={() => actions.chooseQr(name)}
            />
            <span>{name === 'request' ? messages.qrRequest : messages.qrAddress}</span>
          </label>
        ))}
      </fieldset>
      <p class="hint">{messages.qrHint[content]}</p>
      <a class="link touch" href={request}>
        {messages.openWallet}
      </a>
      <dl class="fields">
        <Field
          view={view}
          field="amount"
          value={`${toDecimal(due, intent.decimals)} ${intent.token_symbol}`}
        />
        <Field view={view} field="address" value={intent.expected_wallet} />
      </dl>
      <p class="note">{messages.exactly(amount(intent, due), intent.network.name)}</p>
    </div>
  )
}

/** EIP-681 with plain integers only: wallets disagree about the scientific notation it allows. */
function paymentRequest(intent: Intent, due: bigint): string {
  const { token_address, chain_id, expected_wallet } = intent
  return `ethereum:${token_address}@${chain_id}/transfer?address=${expected_wallet}&uint256=${due}`
}

function Qr({ text, label }: { text: string; label: string }) {
  const { size, path } = qrPath(text)
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  )
}

function Field({ view, field, value }: { view: View; field: CopyField; value: string }) {
  const { messages, state, actions } = view
  const copied = state.copied === field
  const isAmount = field === 'amount'
  return (
    <div>
      <dt>{isAmount ? messages.amount : messages.address}</dt>
      <dd class={isAmount ? '' : 'mono'}>{value}</dd>
      <button
        type="button"
        class={copied ? 'copied' : ''}
        aria-label={isAmount ? messages.copyAmount : messages.copyAddress}
        onclick={() => actions.copy(field)}
      >
        <Icon name={copied ? 'check' : 'copy'} />
        {copied ? messages.copied : messages.copy}
      </button>
    </div>
  )
}
