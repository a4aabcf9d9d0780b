import { formatAmount } from '../amount.ts'
import { type Child, h } from '../view/h.ts'
import { Icon } from '../view/Icon.tsx'
import { plain } from '../view/messages.ts'
import { orderOf, supportLink } from '../view/supportLink.ts'
import type { Messages } from './messages.ts'
import type { Receipt } from './receipt.ts'
import type { Confirmation, ReceiptVerdict } from './verifyReceipt.ts'

export type Shown =
  | { name: 'none' | 'malformed' }
  | {
      name: 'receipt'
      receipt: Receipt
      /** null: this service does not know the chain. */
      network: { name: string; rpcUrl: string; explorerUrl: string | null } | null
      /** null while the chain is asked. */
      verdict: ReceiptVerdict | null
    }

type Props = { shown: Shown; t: Messages; tag: string; onFile: (file: File) => void }

export function ReceiptView({ shown, t, tag, onFile }: Props) {
  return (
    <div class="page">
      <h1>{t.title}</h1>
      {shown.name === 'receipt' ? (
        <Opened shown={shown} t={t} tag={tag} />
      ) : (
        <p role="status">{t[shown.name]}</p>
      )}
      <label class="button quiet">
        {t.open}
        <input
          type="file"
          accept="application/json,.json"
          class="unseen"
          onchange={({ target }) => {
            const [file] = (target as HTMLInputElement).files ?? []
            if (file) onFile(file)
          }}
        />
      </label>
      <p class="fine">{t.about}</p>
    </div>
  )
}

type Opened = { shown: Shown & { name: 'receipt' }; t: Messages; tag: string }

function Opened({ shown: { receipt, network, verdict }, t, tag }: Opened) {
  const usdc = (units: number) => `${formatAmount(BigInt(units), 6, tag)}\u00a0USDC`
  const time = (iso: string) =>
    new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'medium' }).format(new Date(iso))
  const { transfers } = receipt
  const confirmation = verdict && 'confirmation' in verdict ? verdict.confirmation : null
  const name = confirmation?.type === 'confirmed' ? [] : [receipt.merchant_name]
  const claims = [...name, ...entriesOf(receipt)]
  const explorer = network?.explorerUrl?.replace(/\/$/, '')
  return (
    <div class="receipt">
      <p class="sum">{usdc(transfers.reduce((sum, one) => sum + one.amount_units, 0))}</p>
      <Verdict verdict={verdict} t={t} />
      {confirmation && <Confirmed confirmation={confirmation} receipt={receipt} t={t} />}
      <dl>
        <Row label={t.to} value={<code>{receipt.expected_wallet}</code>} />
        <Row label={t.price} value={usdc(receipt.amount_units)} />
        <Row label={t.network} value={network?.name ?? String(receipt.chain_id)} />
        {transfers.map(({ tx_hash: hash, block_timestamp: at, amount_units: units }) => (
          <Row
            label={time(at)}
            value={[
              transfers.length > 1 && `${usdc(units)} `,
              explorer ? (
                <a href={`${explorer}/tx/${hash}`} target="_blank" rel="noopener noreferrer">
                  <code>{hash}</code>
                </a>
              ) : (
                <code>{hash}</code>
              ),
            ]}
          />
        ))}
        <Row label={t.order} value={<code>{receipt.payment_intent}</code>} />
      </dl>
      <Claims claims={claims} t={t} />
      <a class="button" download={`receipt-${receipt.payment_intent}.json`} href={dataUrl(receipt)}>
        {t.download}
      </a>
    </div>
  )
}

/** Neither the chain nor the service says so. */
function Claims({ claims, t }: { claims: readonly string[]; t: Messages }) {
  if (claims.length === 0) return null
  return (
    <section class="claims">
      <h2>{t.said}</h2>
      {claims.map((text) => (
        <p>{plain(text)}</p>
      ))}
    </section>
  )
}

function Row({ label, value }: { label: string; value: Child }) {
  return (
    <div class="row">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Verdict({ verdict, t }: { verdict: ReceiptVerdict | null; t: Messages }) {
  const type = verdict?.type ?? 'checking'
  const detail = verdict && 'message' in verdict ? ` ${verdict.message}` : ''
  return (
    <p class={`verdict ${type}`} role="status">
      <Icon name={type === 'proven' ? 'check' : type === 'checking' ? 'clock' : 'alert'} />
      <span>
        {t[type]}
        {detail && <span lang="en">{detail}</span>}
      </span>
    </p>
  )
}

type Confirming = { confirmation: Confirmation; receipt: Receipt; t: Messages }

function Confirmed({ confirmation, receipt, t }: Confirming) {
  switch (confirmation.type) {
    case 'confirmed':
      return (
        <p class="confirmation">
          {t.confirmed} <strong>{plain(confirmation.merchantName)}</strong>
          <Contact confirmation={confirmation} receipt={receipt} t={t} />
        </p>
      )
    case 'denied':
      return <p class="confirmation refuted">{t.denied}</p>
    case 'none':
      return <p class="confirmation">{t.unconfirmed}</p>
  }
}

/** Only the service's word counts here: a made-up receipt would name a contact of its maker. */
function Contact({ confirmation, receipt, t }: Confirming) {
  if (confirmation.type !== 'confirmed') return null
  const merchant = plain(confirmation.merchantName)
  const { payment_intent: id, metadata } = receipt
  const order = orderOf({ id, metadata })
  const link = supportLink(confirmation.support, `${merchant}: ${order}`)
  if (!link) return null
  return (
    <span class="contact">
      <a
        href={link.href}
        {...(link.isPage ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      >
        {t.contact.replace('{merchant}', () => merchant)}
      </a>{' '}
      <bdi dir="ltr">{link.text}</bdi>
    </span>
  )
}

/** What the receipt says of the order, where it is a text or a number. */
function entriesOf({ metadata = {} }: Receipt): string[] {
  return Object.entries(metadata).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [`${name}: ${value}`] : [],
  )
}

function dataUrl(receipt: Receipt): string {
  const text = JSON.stringify(receipt, null, 2)
  return `data:application/json;charset=utf-8,${encodeURIComponent(text)}`
}
