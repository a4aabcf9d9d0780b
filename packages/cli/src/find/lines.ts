import { chains, usdcDecimals } from '@payment-intents/contract'
import { decimal } from '../output/asText.ts'
import { plain } from '../output/plain.ts'

export type Line = readonly [label: string, text: string]

/** A heading, and labelled lines below it. Text from the network cannot move the cursor. */
export function lines(heading: readonly string[], rest: readonly Line[]): string {
  const indented = rest.map(([label, text]) => `  ${label.padEnd(12)}${text}`)
  return [heading.join('  '), ...indented].map(plain).join('\n')
}

export function usdc(units: number): string {
  return `${decimal(units, usdcDecimals)} USDC`
}

/** The page of a transaction at the chain's explorer, or its hash where there is none. */
export function explorerPage({ chain_id, tx_hash }: { chain_id: number; tx_hash: string }): string {
  const explorer = chains.find(({ chainId }) => chainId === chain_id)?.explorerUrl
  return explorer === undefined ? tx_hash : `${explorer}/tx/${tx_hash}`
}
