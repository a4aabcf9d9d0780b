import { type Child, h } from '../view/parts/h.ts'
import { shorten } from '../view/view.ts'
import type { Messages } from './messages.ts'
import { type Opened, TransactionLink, usdc } from './parts.tsx'
import type { ReceiptVerdict, RefundVerdict } from './verifyReceipt.ts'

type Props = { shown: Opened; t: Messages; tag: string }

/** The refunds that are checked, of the receipt and of the service. */
export function RefundVerdicts({ shown: { verdict, network }, t, tag }: Props) {
  const refunds = refundsOf(verdict)
  if (refunds.length === 0) return null
  return (
    <section class="refunds">
      {refunds.map((refund) => (
        <div>
          <p>
            <b>{refundTitle(refund, t, tag)}</b>{' '}
            {refund.txHash && (
              <TransactionLink
                hash={refund.txHash}
                network={network}
                text={shorten(refund.txHash)}
              />
            )}
          </p>
          {refund.type !== 'pending' && (
            <p class="fine">
              {t[noteOf(refund, verdict)].replace('{network}', () => network?.name ?? '')}
            </p>
          )}
        </div>
      ))}
    </section>
  )
}

export function refundsOf(verdict: ReceiptVerdict | null): readonly RefundVerdict[] {
  return verdict && 'refunds' in verdict ? verdict.refunds : []
}

/** Says how much is refunded, or on its way. */
export function refundTitle({ type, amountUnits }: RefundVerdict, t: Messages, tag: string): Child {
  const text = type === 'pending' ? t.refunding : t.refunded
  const [before, after] = text.split('{amount}')
  return [before, <bdi>{usdc(amountUnits, tag)}</bdi>, after]
}

/** A service that responds vouches only for its own refunds: anyone can sign a refund that they made up. */
function noteOf({ type, isConfirmed }: RefundVerdict, verdict: ReceiptVerdict | null) {
  const wasVerified =
    verdict !== null && 'confirmation' in verdict && verdict.confirmation.type !== 'none'
  if (type === 'proven') return isConfirmed || !wasVerified ? 'refundProven' : 'refundClaimed'
  return isConfirmed ? 'refundStated' : 'refundClaimed'
}
