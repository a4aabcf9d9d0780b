import type { Transfer } from '@payment-intents/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { create } from '../../api/api.ts'
import { messageOf } from '../../parts/Failure.tsx'
import { textOf } from '../../parts/Form.tsx'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied, shorten } from '../../parts/values/Copied.tsx'
import { Explorer } from '../../parts/values/Explorer.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { paymentQuery } from '../payment/paymentQueries.ts'
import { titleOf } from '../payment/title.ts'

const words = texts.needsYou

/** An unmatched transfer, and the payments that it may belong to. */
export function Unmatched({ transfer }: { transfer: Transfer }) {
  const client = useQueryClient()
  const canManage = useRole('support')
  const assign = useMutation({
    mutationFn: (payment_intent: string) =>
      create('/v1/transfers/{id}/assign', { id: transfer.id, payment_intent }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['attention'] })
      await client.invalidateQueries({ queryKey: ['search'] })
    },
  })
  const isOwner = useRole('owner')
  const navigate = useNavigate()
  const refund = useMutation({
    mutationFn: () => create('/v1/refunds', { transfer: transfer.id }),
    onSuccess: ({ id }) => navigate({ to: '/refunds/$id', params: { id } }),
  })
  const { amount_units: units, chain, chain_id: chainId, tx_hash, from, suggestions } = transfer
  return (
    <>
      <p className="row">
        <Amount units={units} />
        <span>{texts.chains[chain]}</span>
        <Copied text={tx_hash} name={texts.payments.columns.transaction} short />
        <Explorer chainId={chainId} of="tx" text={tx_hash} />
        <span className="muted">{texts.timeline.from}</span>
        <Copied text={from} name={texts.payments.columns.from} short />
      </p>
      {suggestions.length === 0 && <p>{words.noSuggestion}</p>}
      <ul className="stack">
        {suggestions.map(({ payment_intent: id, match }) => (
          <li key={id} className="row">
            <span>
              {words.maybe} <Suggestion id={id} /> <span className="muted">{reasonOf(match)}</span>
            </span>
            {canManage && (
              <button type="button" disabled={assign.isPending} onClick={() => assign.mutate(id)}>
                {words.assign}
              </button>
            )}
          </li>
        ))}
      </ul>
      {canManage && (
        <div className="row">
          <form
            className="row one-line"
            onSubmit={(event) => {
              event.preventDefault()
              assign.mutate(textOf(new FormData(event.currentTarget), 'payment'))
            }}
          >
            <input
              name="payment"
              required
              aria-label={words.payment}
              placeholder="pi_…"
              spellCheck={false}
            />
            <button type="submit" disabled={assign.isPending}>
              {words.assign}
            </button>
          </form>
          {isOwner && (
            <button type="button" disabled={refund.isPending} onClick={() => refund.mutate()}>
              {texts.refunds.create}
            </button>
          )}
        </div>
      )}
      {refund.error && (
        <p className="note bad" role="alert">
          {messageOf(refund.error)}
        </p>
      )}
      {assign.error && (
        <p className="note bad" role="alert">
          {messageOf(assign.error)}
        </p>
      )}
    </>
  )
}

/** A payment that the transfer may belong to, with the facts that people recognise it by. */
function Suggestion({ id }: { id: string }) {
  const { data: intent } = useQuery(paymentQuery(id))
  return (
    <>
      <Link to="/payments/$id" params={{ id }}>
        <Foreign text={intent ? titleOf(intent) : shorten(id)} />
      </Link>
      {intent && (
        <>
          , <Amount units={intent.amount_units} token={intent} />
        </>
      )}
    </>
  )
}

function reasonOf(match: string): string {
  const reasons: Readonly<Record<string, string>> = words.matches
  return Object.hasOwn(reasons, match) ? (reasons[match] ?? match) : match
}
