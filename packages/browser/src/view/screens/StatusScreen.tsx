import { paymentHash } from '../../checkout/screen.ts'
import type { StatusContent } from '../content/statusContent.ts'
import { WalletIcon } from '../panels/WalletPanel.tsx'
import { Amount } from '../parts/Amount.ts'
import { Contact } from '../parts/Contact.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { ExternalLink } from '../parts/ExternalLink.tsx'
import { h } from '../parts/h.ts'
import { Icon } from '../parts/Icon.tsx'
import { explorerLink, shorten, type View } from '../view.ts'

type Props = { view: View; content: StatusContent }

/** A screen with a mark, a title, a text and actions. */
export function StatusScreen({ view, content }: Props) {
  const { t, state, amount } = view
  const { title, text, more, hint, sum, payer, paid, tx, receipt, note, ending, contact } = content
  const link = tx && explorerLink(tx.intent, 'tx', tx.txHash)
  return (
    <div class="status">
      <Mark content={content} />
      <h2 tabIndex={-1}>{title}</h2>
      {paid ? <Amount text={paid.amount} tag="p" /> : <p class="text">{text}</p>}
      {paid?.facts.map(
        (fact) =>
          fact && (
            <p class="about">
              <bdi>{fact}</bdi>
            </p>
          ),
      )}
      {more && <p class="text">{more}</p>}
      {sum && (
        <p class="summary">
          <bdi>{amount(sum.intent, sum.units)}</bdi> {t('on', { network: sum.intent.network.name })}
          {payer && <span class="from">{t('from', { account: shorten(payer) })}</span>}
        </p>
      )}
      {tx?.txHash && (
        <div class="links">
          {link && <ExternalLink href={link} text={t('transaction')} />}
          {tx.txHash === paymentHash(state) && <CopyButton view={view} field="hash" />}
        </div>
      )}
      {hint && <p class="note">{hint}</p>}
      {note && <p class="fine">{note}</p>}
      {contact && <Contact view={view} intent={contact} isNamed={!!paid} />}
      {ending}
      {content.actions?.map(({ label, run, quiet }, index) => (
        <button
          key={label}
          type="button"
          part="button"
          class={index > 0 || quiet ? 'quiet' : 'primary'}
          onclick={run}
        >
          {label}
        </button>
      ))}
      {receipt && <ExternalLink href={receipt} text={t('receipt')} button="outlined" />}
    </div>
  )
}

function Mark({ content }: { content: StatusContent }) {
  const { icon, tone = '', count, wallet } = content
  if (icon) {
    return (
      <span class={`mark ${tone}`}>
        <Icon name={icon} />
      </span>
    )
  }
  // Without a count, the ring is an arc that rotates.
  const part = count ? count.done / count.of : 0.22
  return (
    <div class={`ring${count ? '' : ' rotating'}`}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle class="track" cx="50" cy="50" r="46" />
        <circle cx="50" cy="50" r="46" pathLength={1} stroke-dasharray={`${part} 2`} />
      </svg>
      {wallet ? <WalletIcon wallet={wallet} /> : count && <Icon name="check" />}
    </div>
  )
}
