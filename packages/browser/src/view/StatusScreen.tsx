import type { Figure } from './figure.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import type { View } from './view.ts'
import { WalletIcon } from './WalletPanel.tsx'

type Props = { view: View; figure: Figure }

/** A screen that says one thing: a mark, a title, a sentence, and what can be done. */
export function FigureScreen({ view, figure }: Props) {
  const { say, amount, number } = view
  const { title, text, more, hint, step, sum, link, note, actions = [] } = figure
  return (
    <div class="figure">
      <Mark figure={figure} number={number} />
      <h2 tabIndex={-1}>{title}</h2>
      <p class="text">{text}</p>
      {more && <p class="text">{more}</p>}
      {step && <Steps step={step} label={say('steps', { step: number(step), of: number(3) })} />}
      {sum && (
        <p class="summary">
          <bdi>{amount(sum.intent, sum.units)}</bdi>{' '}
          {say('on', { network: sum.intent.network.name })}
        </p>
      )}
      {link && (
        <a class="link" href={link} target="_blank" rel="noopener noreferrer">
          {say('transaction')} <Icon name="external" />
        </a>
      )}
      {hint && <p class="note">{hint}</p>}
      {note && <p class="fine">{note}</p>}
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

function Mark({ figure, number }: { figure: Figure; number: View['number'] }) {
  const { icon, tone = '', count, wallet } = figure
  if (icon) {
    return (
      <span class={`mark ${tone}`}>
        <Icon name={icon} />
      </span>
    )
  }
  // A ring that turns shows a piece of itself.
  const part = count ? count.done / count.of : 0.22
  return (
    <div class={`ring${count ? '' : ' turning'}`}>
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
