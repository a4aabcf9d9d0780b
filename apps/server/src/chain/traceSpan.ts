import { chainFactsOf } from '@payment-intents/contract'
import type { SpanStart } from '../lib/tracing/traced.ts'
import type { Reader } from './providers/reader.ts'

/** One poll as a span of a trace; chains and providers are named as in the metrics. */
export function traceSpan(chainId: number, { host }: Reader): SpanStart {
  const { chain, mode } = chainFactsOf(chainId)
  return {
    name: 'read chain',
    kind: 'internal',
    attributes: {
      'payment_intents.chain': chain,
      'payment_intents.mode': mode,
      'payment_intents.provider': host,
    },
  }
}
