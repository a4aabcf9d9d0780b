import { Contact } from './Contact.tsx'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import type { StatusContent } from './statusContent.ts'
import type { View } from './view.ts'
import { WalletIcon } from './WalletPanel.tsx'

type Props = { view: View; content: StatusContent }

/** A screen with a mark, a title, a text and actions. */
export function StatusScreen({ view, content }: Props) {
  const { t, amount, number } = view
  const {
    title,
    text,
    more,
    hint,
    step,
    sum,
    link,
    receipt,
    note,
    way,
    contact,
    actions = [],
  } = content
  return (
    <div class="status">
      <Mark content={content} number={number} />
      <h2 tabIndex={-1}>{title}</h2>
      <p class="text">{text}</p>
      {more && <p class="text">{more}</p>}
      {step && <Steps step={step} label={t('steps', { step: number(step), of: number(3) })} />}
      {sum && (
        <p class="summary">
          <bdi>{amount(sum.intent, sum.units)}</bdi> {t('on', { network: sum.intent.network.name })}
        </p>
      )}
      {link && (
        <a class="link" href={link} target="_blank" rel="noopener noreferrer">
          {t('transaction')} <Icon name="external" />
        </a>
      )}
      {receipt && (
        <a class="link" href={receipt} target="_blank" rel="noopener noreferrer">
          {t('receipt')} <Icon name="external" />
        </a>
      )}
      {hint && <p class="note">{hint}</p>}
      {note && <p class="fine">{note}</p>}
      {contact && <Contact view={view} intent={contact} />}
      {way}
      {actions.map(({ label, run, quiet }, index) => (
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
    </div>
  )
}

function Mark({ content, number }: { content: StatusContent; number: View['number'] }) {
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
      {wallet && <WalletIcon wallet={wallet} />}
      {count && (
        <span class="count" aria-hidden="true">
          {number(count.done)}
          <small>/{number(count.of)}</small>
        </span>
      )}
    </div>
  )
}

function Steps({ step, label }: { step: number; label: string }) {
  return (
    <div class="steps" role="img" aria-label={label}>
      {[1, 2, 3].map((number) => (
        <i key={number} class={number < step ? 'done' : number === step ? 'now' : ''} />
      ))}
    </div>
  )
}
