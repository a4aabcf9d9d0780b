import { chains, type Mode } from '@payment-intents/contract'
import type { IntentAndTransferFilter } from '@payment-intents/core'
import { firstId } from './ids.ts'

type Value = (value: unknown) => string

/** The bounds of the ids of a search. An id starts with the time at which its row was created. */
export function rangeOf(
  prefix: 'pi' | 'tr' | 're' | 'plink',
  search: Pick<
    IntentAndTransferFilter,
    'limit' | 'startingAfter' | 'createdAfter' | 'createdBefore'
  >,
  value: Value,
) {
  const { limit, startingAfter, createdAfter, createdBefore } = search
  const bounds = [
    startingAfter,
    createdBefore === null ? null : firstId(prefix, createdBefore),
  ].filter((bound) => bound !== null)
  return {
    below: value(bounds.sort()[0] ?? null),
    from: createdAfter === null ? null : value(firstId(prefix, createdAfter)),
    limit: value(limit + 1),
  }
}

/** SQL of the condition that a transfer is of this transaction, on any chain of the mode. */
export function ofTransaction(mode: Mode, txHash: string, value: Value): string {
  return `chain_id = any (${value(chainIdsOf(mode))}) and tx_hash = ${value(txHash)}`
}

export function chainIdsOf(mode: Mode): number[] {
  return chains.filter((facts) => facts.mode === mode).map(({ chainId }) => chainId)
}
