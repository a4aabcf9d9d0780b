import type { TimelineEntry } from '@payment-intents/contract'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied } from '../../parts/values/Copied.tsx'
import { Explorer } from '../../parts/values/Explorer.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { texts } from '../../texts.ts'
import { Delivery } from './Delivery.tsx'

const words = texts.timeline
type Of<Type> = Extract<TimelineEntry, { type: Type }>

/** An entry of the timeline. A type that a later service adds is shown by its name. */
export function Entry({ entry, chainId }: { entry: TimelineEntry; chainId: number }) {
  switch (entry.type) {
    case 'created':
    case 'opened':
      return <p>{words[entry.type]}</p>
    case 'event':
      return (
        <p>
          <code>{entry.event_type}</code>
        </p>
      )
    case 'transfer':
      return <TransferEntry entry={entry} chainId={chainId} />
    case 'authorization_submitted':
    case 'authorization_broadcast':
      return <p>{words[entry.type]}</p>
    case 'authorization_ended':
      return (
        <p>
          {entry.status === 'used' ? words.authorization_ended : words.authorizationRefused}
          {entry.reason && `: ${entry.reason}`}
        </p>
      )
    case 'delivery':
      return <Delivery entry={entry} />
    case 'refund':
      return (
        <p className="what">
          <span>
            {words.refund} <Amount units={entry.amount_units} />
          </span>
          <Status value={entry.status} />
        </p>
      )
    default:
      return <p>{(entry as { type: string }).type.replaceAll('_', ' ')}</p>
  }
}

function TransferEntry({ entry, chainId }: { entry: Of<'transfer'>; chainId: number }) {
  return (
    <>
      <p className="what">
        <span>{entry.orphaned ? words.orphaned : words.transfer}</span>
        <Amount units={entry.amount_units} />
      </p>
      <p className="row">
        <Copied text={entry.tx_hash} name={texts.payment.facts.transaction} short />
        <Explorer chainId={chainId} of="tx" text={entry.tx_hash} />
        <span className="muted">{words.block(entry.block_number)}</span>
      </p>
      <p className="row">
        <span className="muted">{words.from}</span>
        <Copied text={entry.from} name={texts.payments.columns.from} short />
      </p>
    </>
  )
}
