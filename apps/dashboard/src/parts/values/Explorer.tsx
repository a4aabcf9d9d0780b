import { chainFactsOf } from '@payment-intents/contract/chains'
import { texts } from '../../texts.ts'

/** A link to a transaction or an address in the chain's explorer. */
export function Explorer({
  chainId,
  of,
  text,
}: {
  chainId: number
  of: 'tx' | 'address'
  text: string
}) {
  return (
    <a
      href={`${chainFactsOf(chainId).explorerUrl}/${of}/${text}`}
      target="_blank"
      rel="noreferrer"
      className="explorer"
      aria-label={texts.timeline.explorer}
    >
      ↗
    </a>
  )
}
