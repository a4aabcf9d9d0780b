import type { Intent } from '../parseIntent.ts'
import type { Screen } from '../screen.ts'
import type { Rail } from '../state.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { plain } from './messages.ts'
import { payNotes } from './payNotes.ts'
import { tagNote } from './tagNote.ts'
import { timeLeft, type View } from './view.ts'
import { WalletPanel } from './WalletPanel.tsx'

type Props = { view: View; shown: Screen & { name: 'pay' } }

export function PayScreen({ view, shown }: Props) {
  const { t, amount, dollars } = view
  const { intent, rail, rails, units } = shown
  const tag = tagNote(intent, units, view)
  const what = description(intent)
  const [number, token] = amount(intent, units).split(/\s(?=\S+$)/)
  return (
    <div>
      <h2 class={`amount${(number?.length ?? 0) > 10 ? ' long' : ''}`} tabIndex={-1}>
        <bdi>
          {number} <small>{token}</small>
        </bdi>
      </h2>
      {tag && <p class="about">{tag}</p>}
      <p class="about">
        ≈ <bdi dir="ltr">{dollars(intent, units)}</bdi>
      </p>
      {what && <p class="about what">{what}</p>}
      <p class="facts">
        <span>{t('on', { network: intent.network.name })}</span>
        <Countdown view={view} ms={timeLeft(intent, view.now)} />
      </p>
      {payNotes(shown, view).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <div key="ways" class="ways">
        {rails.length > 1 && <Rails view={view} rails={rails} rail={rail} />}
        <div
          class="panel"
          id="panel"
          {...(rails.length > 1 ? { role: 'tabpanel', 'aria-labelledby': `rail-${rail}` } : {})}
        >
          {rail === 'qr' ? (
            (view.byHand()?.QrPanel({ view, shown }) ?? <div />)
          ) : (
            <WalletPanel view={view} intent={intent} alone={rails.length === 1} />
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

function Countdown({ view, ms }: { view: View; ms: number }) {
  const { t, number } = view
  const seconds = Math.ceil(ms / 1000)
  const time = `${number(Math.floor(seconds / 60))}:${number(seconds % 60, 2)}`
  return (
    <span class={`countdown${seconds <= 60 ? ' soon' : ''}`}>
      <Icon name="clock" />
      <span aria-hidden="true">{time}</span>
      <span class="unseen">{t('time_left', { time })}</span>
    </span>
  )
}

function Rails({ view, rails, rail }: { view: View; rails: readonly Rail[]; rail: Rail }) {
  const { t, actions } = view
  const move = (event: KeyboardEvent) => {
    if (!/^Arrow(Left|Right)$|^Home$|^End$/.test(event.key)) return
    event.preventDefault()
    const other = rails[{ Home: 0, End: 1 }[event.key] ?? 1 - rails.indexOf(rail)]
    if (!other) return
    actions.chooseRail(other)
    const list = event.currentTarget as HTMLElement
    list.querySelector<HTMLElement>(`#rail-${other}`)?.focus()
  }
  return (
    <div class="segments" role="tablist" aria-label={t('rails')} onkeydown={move}>
      {rails.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`rail-${name}`}
          aria-selected={String(name === rail)}
          aria-controls="panel"
          tabIndex={name === rail ? 0 : -1}
          onclick={() => actions.chooseRail(name)}
        >
          <Icon name={name === 'qr' ? 'qr' : 'wallet'} />
          {t(name)}
        </button>
      ))}
    </div>
  )
}

const descriptionAtMost = 200

/** What the payment is for, if the merchant says so in `metadata.description`; shown as text. */
function description({ metadata }: Intent): string {
  const text = metadata?.description
  return typeof text === 'string' && text.length <= descriptionAtMost ? plain(text).trim() : ''
}
