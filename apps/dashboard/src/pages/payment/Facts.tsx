import type { RetrievedPaymentIntentWithLinks } from '@payment-intents/contract'
import type { ReactNode } from 'react'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied } from '../../parts/values/Copied.tsx'
import { Explorer } from '../../parts/values/Explorer.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'

const names = texts.payment.facts

export function Facts({ intent }: { intent: RetrievedPaymentIntentWithLinks }) {
  const { chain_id: chainId, tx_hash, expected_wallet: wallet } = intent
  const amount = (units: number) => <Amount units={units} token={intent} />
  const facts: Partial<Record<keyof typeof names, ReactNode>> = {
    id: <Copied text={intent.id} name={names.id} short />,
    amount: amount(intent.amount_units),
    ...(intent.payable_amount_units === intent.amount_units
      ? {}
      : { payable: amount(intent.payable_amount_units) }),
    received: amount(intent.amount_received_units),
    ...(intent.amount_refunded_units ? { refunded: amount(intent.amount_refunded_units) } : {}),
    ...(intent.amount_refunding_units ? { refunding: amount(intent.amount_refunding_units) } : {}),
    network: texts.chains[intent.chain],
    wallet: (
      <>
        <Copied text={wallet} name={names.wallet} short />{' '}
        <Explorer chainId={chainId} of="address" text={wallet} />
      </>
    ),
    ...(tx_hash
      ? {
          transaction: (
            <>
              <Copied text={tx_hash} name={names.transaction} short />{' '}
              <Explorer chainId={chainId} of="tx" text={tx_hash} />
            </>
          ),
          confirmations: `${intent.confirmations} / ${intent.confirmations_required}`,
        }
      : {}),
    created: <Time at={intent.created_at} to="second" />,
    expires: <Time at={intent.expires_at} to="second" />,
    reference: <Copied text={intent.payment_reference} name={names.reference} short />,
    ...(intent.payment_link
      ? { link: <Copied text={intent.payment_link} name={names.link} short /> }
      : {}),
  }
  return (
    <section className="card stack">
      <h2>{texts.payment.details}</h2>
      <dl className="facts">
        {Object.entries(facts).map(([name, fact]) => (
          <div key={name} className="fact">
            <dt>{names[name as keyof typeof names]}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
