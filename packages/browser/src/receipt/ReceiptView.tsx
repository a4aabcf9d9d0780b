import { orderOf, supportLink } from '../view/content/supportLink.ts'
import { plain } from '../view/content/translator.ts'
import { h } from '../view/parts/h.ts'
import { Icon } from '../view/parts/Icon.tsx'
import { shorten } from '../view/view.ts'
import { descriptionOf, fiatPriceOf, itemsOf } from './itemsOf.ts'
import type { Messages } from './messages.ts'
import { Proof } from './Proof.tsx'
import type { Receipt } from './parseReceipt.ts'
import { dateOf, type Opened, Row, TransactionLink, usdc } from './parts.tsx'
import { RefundVerdicts } from './RefundVerdicts.tsx'
import { canShareFile, mailTo, shareReceipt } from './shareReceipt.ts'
import type { Confirmation, ReceiptVerdict } from './verifyReceipt.ts'

export type Shown = { name: 'none' | 'malformed' } | Opened

type Props = { shown: Shown; t: Messages; tag: string; onFile: (file: File) => void }

export function ReceiptView({ shown, t, tag, onFile }: Props) {
  const isOpen = shown.name === 'receipt'
  return (
    <div class="page">
      {isOpen ? (
        <Paper shown={shown} t={t} tag={tag} />
      ) : (
        <div>
          <h1>{t.title}</h1>
          <p role="status">{t[shown.name]}</p>
        </div>
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
      <p class="fine about">{t.about}</p>
    </div>
  )
}

/** The shop that the service confirms; a receipt that anybody could make up names no shop. */
export function shopOf({ verdict }: Opened): string | null {
  const confirmation = confirmationOf(verdict)
  return confirmation?.type === 'confirmed' ? plain(confirmation.merchantName) : null
}

type PaperProps = { shown: Opened; t: Messages; tag: string }

/** Invariant: the head names a shop and its order only once the service confirms the payment. */
function Paper({ shown, t, tag }: PaperProps) {
  const { receipt, network, verdict } = shown
  const { transfers, payment_intent: id } = receipt
  const shop = shopOf(shown)
  const sum = transfers.reduce((units, transfer) => units + transfer.amount_units, 0)
  const confirmation = confirmationOf(verdict)
  const title = `${t.title} · ${shop ?? id}`
  const last = transfers.at(-1)?.block_timestamp ?? ''
  return (
    <div class="receipt">
      <header>
        <h1>{t.title}</h1>
        <p class="shop">{shop ?? '\u00a0'}</p>
        <p class="sum">{usdc(sum, tag)}</p>
        <p class="when">{dateOf(last, tag, 'short')}</p>
        <p class="when">
          {t.order.replace('{order}', () => (shop ? orderOf({ ...receipt, id }) : id))}
        </p>
      </header>
      <Verdict shown={shown} t={t} />
      {confirmation && <Confirmed confirmation={confirmation} t={t} />}
      <RefundVerdicts shown={shown} t={t} tag={tag} />
      <Purchase receipt={receipt} shop={shop} t={t} tag={tag} />
      <dl>
        <Payers verdict={verdict} t={t} />
        <Row label={t.to} value={<code>{receipt.expected_wallet}</code>} />
        <Row label={t.network} value={network?.name ?? String(receipt.chain_id)} />
        <Row
          label={t.transaction}
          value={transfers.map(({ tx_hash: hash }) => (
            <TransactionLink hash={hash} network={network} text={shorten(hash)} />
          ))}
        />
      </dl>
      {confirmation && <Contact confirmation={confirmation} receipt={receipt} t={t} />}
      <button type="button" class="button" onclick={() => print()}>
        {t.print}
      </button>
      {canShareFile() ? (
        <button
          type="button"
          class="button quiet"
          onclick={() => void shareReceipt(receipt, title)}
        >
          {t.share}
        </button>
      ) : (
        <a class="button quiet" href={mailTo(receipt, title)}>
          {t.mail}
        </a>
      )}
      <Proof shown={shown} t={t} tag={tag} />
    </div>
  )
}

type PurchaseProps = { receipt: Receipt; shop: string | null; t: Messages; tag: string }

/** Neither the chain nor the service confirms these claims. */
function Purchase({ receipt, shop, t, tag }: PurchaseProps) {
  const { metadata = {}, payment_intent: id, merchant_name: name } = receipt
  const items = itemsOf(metadata, tag)
  const description = descriptionOf(metadata)
  const fiatPrice = fiatPriceOf(metadata, tag)
  const order = orderOf({ id, metadata })
  const claims = shop
    ? []
    : [plain(name), ...(order === id ? [] : [t.order.replace('{order}', () => order)])]
  const texts = [...claims, ...(description ? [description] : [])]
  const isStated = shop !== null && order !== id
  const hasList = items.length > 0 || fiatPrice !== ''
  const hasClaims = texts.length > 0 || hasList
  if (!hasClaims && !isStated) return null
  return (
    <section class="claims">
      {hasClaims && <h2>{t.bought}</h2>}
      {texts.map((text) => (
        <p>{text}</p>
      ))}
      {hasList && (
        <ul>
          {items.map((item) => (
            <li>
              <span>
                {item.quantity && `${item.quantity} × `}
                <bdi>{item.name}</bdi>
              </span>
              <bdi>{item.amount}</bdi>
            </li>
          ))}
          {fiatPrice && (
            <li class="price">
              <span>{t.price}</span>
              <bdi>{fiatPrice}</bdi>
            </li>
          )}
        </ul>
      )}
      <p class="fine">{shop ? t.stated : t.said}</p>
    </section>
  )
}

/** The accounts whose transfers the chain has. */
function Payers({ verdict, t }: { verdict: ReceiptVerdict | null; t: Messages }) {
  if (!verdict || !('payment' in verdict)) return null
  const payers = [...new Set(verdict.payment.transfers.map(({ from }) => from))]
  return <Row label={t.from} value={payers.map((payer) => <code>{payer} </code>)} />
}

function Verdict({ shown: { verdict, network }, t }: { shown: Opened; t: Messages }) {
  const type = verdict?.type ?? 'checking'
  const detail = verdict && 'message' in verdict ? ` ${verdict.message}` : ''
  return (
    <p class={`verdict ${type}`} role="status">
      <Icon name={type === 'proven' ? 'check' : type === 'checking' ? 'clock' : 'alert'} />
      <span>
        {t[type].replace('{network}', () => network?.name ?? '')}
        {detail && <span lang="en">{detail}</span>}
      </span>
    </p>
  )
}

function confirmationOf(verdict: ReceiptVerdict | null): Confirmation | null {
  return verdict && 'confirmation' in verdict ? verdict.confirmation : null
}

function Confirmed({ confirmation, t }: { confirmation: Confirmation; t: Messages }) {
  const texts = { confirmed: t.confirmed, denied: t.denied, none: t.unconfirmed }
  const tone = confirmation.type === 'denied' ? ' refuted' : ''
  return <p class={`confirmation${tone}`}>{texts[confirmation.type]}</p>
}

type ContactProps = { confirmation: Confirmation; receipt: Receipt; t: Messages }

/** Only the service's word counts here: a made-up receipt would name a contact of its maker. */
function Contact({ confirmation, receipt, t }: ContactProps) {
  if (confirmation.type !== 'confirmed') return null
  const merchant = plain(confirmation.merchantName)
  const { payment_intent: id, metadata } = receipt
  const order = orderOf({ id, metadata })
  const link = supportLink(confirmation.support, `${merchant}: ${order}`)
  if (!link) return null
  return (
    <p class="contact">
      <a
        href={link.href}
        {...(link.isPage ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      >
        {t.contact.replace('{merchant}', () => merchant)}
      </a>{' '}
      <bdi dir="ltr">{link.text}</bdi>
    </p>
  )
}
