import { formatAmount } from '../lib/amount.ts'
import { type Child, h } from '../view/parts/h.ts'
import type { Receipt } from './parseReceipt.ts'
import type { ReceiptVerdict } from './verifyReceipt.ts'

export type Opened = {
  name: 'receipt'
  receipt: Receipt
  /** null: this service does not know the chain. */
  network: { name: string; rpcUrl: string; explorerUrl: string | null } | null
  /** null while the request to the chain runs. */
  verdict: ReceiptVerdict | null
}

export function Row({ label, value }: { label: Child; value: Child }) {
  return (
    <div class="row">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

type TransactionProps = { hash: string; network: Opened['network']; text: string }

export function TransactionLink({ hash, network, text }: TransactionProps) {
  const explorer = network?.explorerUrl?.replace(/\/$/, '')
  if (!explorer) return <code>{text} </code>
  return (
    <a href={`${explorer}/tx/${hash}`} target="_blank" rel="noopener noreferrer">
      <code>{text}</code>{' '}
    </a>
  )
}

export function usdc(units: number | bigint, tag: string): string {
  return `${formatAmount(BigInt(units), 6, tag)}\u00a0USDC`
}

export function dateOf(iso: string, tag: string, timeStyle: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle }).format(new Date(iso))
}
