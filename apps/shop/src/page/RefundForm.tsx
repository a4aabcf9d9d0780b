import { type FormEvent, useState } from 'react'
import { decimalUsdc } from '../formatUsdc.ts'
import type { DescribedOrder } from '../http/describeOrder.ts'
import { problemOf, send } from './sendRefund.ts'

/** The order's next refund. Its number is the request's key: a repeated request creates no second refund. */
export function RefundForm({ order }: { order: DescribedOrder }) {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const remaining = refundableOf(order)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    setSending(true)
    setProblem('')
    const error = await send(`/api/orders/${order.id}/refunds`, {
      number: order.refunds.length + 1,
      amount: text('amount'),
      ...(text('destination') && { destination: text('destination') }),
    })
    if (error !== 'ok') setProblem(problemOf(error))
    setSending(false)
  }

  return (
    <details>
      <summary>{order.refunds.length === 0 ? 'Refund this order' : 'Refund more of it'}</summary>
      <form onSubmit={submit}>
        <label>
          Amount in USDC
          <input
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={remaining > 0 ? decimalUsdc(remaining) : ''}
            required
            pattern="\s*[0-9]{1,9}([.][0-9]{1,6})?\s*"
            title="An amount such as 10.00"
          />
        </label>
        <label>
          Buyer’s address, if you know it
          <input
            name="destination"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="0x…"
            pattern="\s*0x[0-9a-fA-F]{40}\s*"
            title="0x and 40 hexadecimal digits"
            aria-describedby="destination-hint"
          />
        </label>
        <p id="destination-hint">
          Left empty, you get a link where the buyer names it. Never take the address that paid: it
          may belong to an exchange.
        </p>
        <button type="submit" className="button" disabled={isSending}>
          {isSending ? 'Refunding…' : 'Refund'}
        </button>
        <p className="problem" role="alert">
          {problem}
        </p>
      </form>
    </details>
  )
}

/** The price less the amount that is refunded or about to be. */
function refundableOf({ amount_units, refunds }: DescribedOrder): number {
  const live = refunds.filter(({ status }) => status !== 'canceled')
  return live.reduce((remaining, refund) => remaining - refund.amount_units, amount_units)
}
