import { h } from '../view/parts/h.ts'
import type { Messages } from './messages.ts'
import { dateOf, type Opened, Row, TransactionLink, usdc } from './parts.tsx'
import { refundsOf, refundTitle } from './RefundVerdicts.tsx'

type Props = { shown: Opened; t: Messages; tag: string }

/** The data to check a receipt elsewhere. */
export function Proof({ shown: { receipt, network, verdict }, t, tag }: Props) {
  const { transfers, payment_intent: id, payment_reference: reference } = receipt
  const text = JSON.stringify(receipt, null, 2)
  return (
    <details>
      <summary>{t.proof}</summary>
      <dl>
        <Row label={t.price} value={usdc(receipt.amount_units, tag)} />
        {transfers.map(({ tx_hash: hash, block_timestamp: at, amount_units: units }) => (
          <Row
            label={dateOf(at, tag, 'long')}
            value={[
              transfers.length > 1 && `${usdc(units, tag)} `,
              <TransactionLink hash={hash} network={network} text={hash} />,
            ]}
          />
        ))}
        <Row label={t.payment} value={<code>{id}</code>} />
        <Row label={t.reference} value={<code>{reference}</code>} />
        {refundsOf(verdict).map((refund) => (
          <Row
            label={refundTitle(refund, t, tag)}
            value={[
              <code>{refund.id} </code>,
              <code>{`${refund.from} → ${refund.destination} `}</code>,
              refund.txHash && (
                <TransactionLink hash={refund.txHash} network={network} text={refund.txHash} />
              ),
            ]}
          />
        ))}
      </dl>
      <pre dir="ltr">{text}</pre>
      <a
        class="button quiet"
        download={`receipt-${id}.json`}
        href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}
      >
        {t.download}
      </a>
    </details>
  )
}
