import type { AttentionItem } from '@payment-intents/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Amount } from '../../parts/values/Amount.tsx'
import { shorten } from '../../parts/values/Copied.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { titleOf } from '../payment/title.ts'
import { Unmatched } from './Unmatched.tsx'

const words = texts.needsYou

/** An item that needs attention, and its actions. */
export function Item({ item }: { item: AttentionItem }) {
  const types: Readonly<Record<string, { title: string; text: string }>> = words.types
  const type = types[item.type] ?? { title: item.type.replaceAll('_', ' '), text: '' }
  return (
    <>
      <div className="row page-head">
        <h2>{type.title}</h2>
        <span className="muted">
          <Time at={item.since} />
        </span>
      </div>
      <p className="muted">{type.text}</p>
      {contentOf(item)}
    </>
  )
}

function contentOf(item: AttentionItem): ReactNode {
  if ('transfer' in item) return <Unmatched transfer={item.transfer} />
  if ('payment_intent' in item) {
    const { payment_intent: intent } = item
    return (
      <p className="row">
        <Link to="/payments/$id" params={{ id: intent.id }}>
          <Foreign text={titleOf(intent)} />
        </Link>
        <Status value={intent.status} />
        <span>
          {words.received} <Amount units={intent.amount_received_units} token={intent} /> {words.of}{' '}
          <Amount units={intent.amount_units} token={intent} />
        </span>
      </p>
    )
  }
  if ('refund' in item) {
    const { refund } = item
    return (
      <p className="row">
        <Link to="/refunds/$id" params={{ id: refund.id }}>
          {shorten(refund.id)}
        </Link>
        <Amount units={refund.amount_units} token={refund} />
        <Status value={refund.status} />
      </p>
    )
  }
  if (!('webhook_endpoint' in item)) return null
  const { webhook_endpoint: endpoint } = item
  return (
    <p>
      <Link to="/developers/webhooks/$id" params={{ id: endpoint.id }}>
        {endpoint.url}
      </Link>
    </p>
  )
}
