import type { RetrievedPaymentIntent } from '@payment-intents/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { create } from '../../api/api.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, textOf } from '../../parts/Form.tsx'
import { formatUnits, parseUnits } from '../../parts/values/Amount.tsx'
import { texts } from '../../texts.ts'

const words = texts.refunds
const reasons = [
  'requested_by_customer',
  'duplicate',
  'overpaid',
  'underpaid',
  'late',
  'other',
] as const

/** Creates a refund of a payment; the refund's page continues with the signature. */
export function RefundButton({ intent }: { intent: RetrievedPaymentIntent }) {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const client = useQueryClient()
  const { decimals, amount_received_units: received } = intent
  const refundable = received - intent.amount_refunded_units - intent.amount_refunding_units
  if (refundable <= 0) return null
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.create}
      </button>
      {isOpen && (
        <Dialog title={words.create} onClose={() => setOpen(false)}>
          <Form
            action={words.create}
            onCancel={() => setOpen(false)}
            onSubmit={async (fields) => {
              const units = parseUnits(textOf(fields, 'amount'), decimals)
              const destination = textOf(fields, 'destination') as `0x${string}`
              const reason = reasons.find((each) => each === textOf(fields, 'reason'))
              return create('/v1/refunds', {
                payment_intent: intent.id,
                // The service reports an invalid amount.
                amount_units: units ?? 0,
                ...(destination ? { destination } : {}),
                ...(reason ? { reason } : {}),
              })
            }}
            onDone={({ id }) => {
              void client.invalidateQueries({ queryKey: ['payments'] })
              void navigate({ to: '/refunds/$id', params: { id } })
            }}
          >
            <label>
              {words.amount}
              <input
                name="amount"
                inputMode="decimal"
                required
                defaultValue={formatUnits(refundable, decimals).replaceAll(',', '')}
              />
            </label>
            <label>
              {words.destination}
              <input name="destination" placeholder="0x…" spellCheck={false} autoComplete="off" />
              <small>{words.destinationHint}</small>
            </label>
            <label>
              {words.reason}
              <select name="reason">
                <option value="">{words.noReason}</option>
                {reasons.map((each) => (
                  <option key={each} value={each}>
                    {words.reasons[each]}
                  </option>
                ))}
              </select>
            </label>
          </Form>
        </Dialog>
      )}
    </>
  )
}
