import type { RetrievedPaymentIntentWithLinks } from '@payment-intents/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { create } from '../../api/api.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { RefundButton } from '../refunds/RefundButton.tsx'
import { paymentQuery } from './paymentQueries.ts'

type Action = 'cancel' | 'accept'

/** The actions that a payment's status allows. */
export function Actions({ intent }: { intent: RetrievedPaymentIntentWithLinks }) {
  const [open, setOpen] = useState<Action | null>(null)
  const client = useQueryClient()
  const canManage = useRole('support')
  const isOwner = useRole('owner')
  const { id } = intent
  const runAction = async (action: Action) => {
    await create(`/v1/payment_intents/{id}/${action}`, { id })
    await client.invalidateQueries({ queryKey: paymentQuery(id).queryKey })
    await client.invalidateQueries({ queryKey: ['timeline', id] })
  }
  if (!canManage) return null
  return (
    <>
      {offeredFor(intent).map((action) => (
        <button key={action} type="button" onClick={() => setOpen(action)}>
          {texts.payment[action]}
        </button>
      ))}
      {isOwner && intent.amount_received_units > 0 && <RefundButton intent={intent} />}
      {open && (
        <ConfirmDialog
          title={texts.payment[open]}
          action={texts.payment[open]}
          isDangerous={open === 'cancel'}
          onConfirm={() => runAction(open)}
          onClose={() => setOpen(null)}
        >
          <p>{texts.payment[`${open}Text`]}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function offeredFor(intent: RetrievedPaymentIntentWithLinks): Action[] {
  const { status, amount_received_units: received } = intent
  if (status === 'succeeded' || status === 'pending_confirmations') return []
  if (received > 0) return ['accept']
  return status === 'requires_payment' ? ['cancel'] : []
}
