import type { Refund as RefundObject } from '@payment-intents/contract'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../../api/api.ts'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied, shorten } from '../../parts/values/Copied.tsx'
import { Explorer } from '../../parts/values/Explorer.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { NextStep } from './NextStep.tsx'

const words = texts.refunds
const route = getRouteApi('/refunds/$id')

const refundQuery = (id: string) =>
  queryOptions({
    queryKey: ['refunds', 'one', id],
    queryFn: ({ signal }) => read('/v1/refunds/{id}', { id }, signal) as Promise<RefundObject>,
  })

/** The page of a refund and its next step. */
export function Refund() {
  const { id } = route.useParams()
  const refund = useQuery(refundQuery(id))
  const client = useQueryClient()
  const isOwner = useRole('owner')
  return (
    <Loaded query={refund}>
      {(loaded) => (
        <Page title={words.one}>
          <p className="row">
            <Status value={loaded.status} />
          </p>
          {isOwner && (
            <NextStep
              refund={loaded}
              onChange={() => client.invalidateQueries({ queryKey: refundQuery(id).queryKey })}
            />
          )}
          <Section title={texts.payment.details}>
            <dl className="facts">
              {factsOf(loaded).map(([name, fact]) => (
                <div key={name} className="fact">
                  <dt>{name}</dt>
                  <dd>{fact}</dd>
                </div>
              ))}
            </dl>
          </Section>
        </Page>
      )}
    </Loaded>
  )
}

function factsOf(refund: RefundObject): [string, ReactNode][] {
  const { facts } = words
  const { payment_intent: intent, destination, tx_hash, chain_id: chainId } = refund
  return [
    [facts.id, <Copied key="id" text={refund.id} name={facts.id} />],
    [facts.amount, <Amount key="amount" units={refund.amount_units} token={refund} />],
    ...(intent
      ? ([
          [
            facts.payment,
            <Link key="payment" to="/payments/$id" params={{ id: intent }}>
              {shorten(intent)}
            </Link>,
          ],
        ] as [string, ReactNode][])
      : []),
    [facts.network, texts.chains[refund.chain]],
    [
      facts.destination,
      destination ? <Copied key="to" text={destination} name={facts.destination} /> : words.open,
    ],
    ...(tx_hash
      ? ([
          [
            facts.transaction,
            <span key="tx">
              <Copied text={tx_hash} name={facts.transaction} short />{' '}
              <Explorer chainId={chainId} of="tx" text={tx_hash} />
            </span>,
          ],
        ] as [string, ReactNode][])
      : []),
    [facts.reason, refund.reason ?? '–'],
    [facts.created, <Time key="created" at={refund.created_at} to="second" />],
  ]
}
