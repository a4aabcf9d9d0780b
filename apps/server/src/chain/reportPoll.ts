import { logEvents } from '../store/events/logEvents.ts'
import type { FollowOptions } from './follow.ts'
import type { PollResult } from './pollChain.ts'
import type { FollowerState } from './polling/followerState.ts'
import type { Reader } from './providers/reader.ts'
import type { Unit } from './recording/recordUpdate.ts'

/**
 * Logs each change of money, each row that could not be read or recorded, and transfers that were returned late.
 * Everything is recorded by now: a failure to log changes nothing.
 */
export function reportPoll(
  options: Pick<FollowOptions, 'chainId' | 'log'>,
  reader: Pick<Reader, 'host'>,
  polled: Recorded,
  before: FollowerState,
): void {
  try {
    writeLines(options, reader, polled, before)
  } catch (error) {
    options.log.warn({ chain_id: options.chainId, err: error }, 'a poll cannot be reported')
  }
}

type Recorded = Exclude<PollResult, { type: 'idle' }>

function writeLines(
  { chainId, log }: Pick<FollowOptions, 'chainId' | 'log'>,
  { host }: Pick<Reader, 'host'>,
  polled: Recorded,
  before: FollowerState,
): void {
  const { failures, quarantined, released, delayedTransfers, events } = polled
  logEvents(log, chainId, events)
  for (const { unit, error } of failures) {
    log.warn(
      { chain_id: chainId, ...namesOf(unit), err: error },
      'a change cannot be recorded; the others are, and the server retries it from time to time',
    )
  }
  for (const { txHash, blockNumber, reason } of quarantined) {
    log.warn(
      { chain_id: chainId, provider: host, tx_hash: txHash, block: String(blockNumber), reason },
      'a transaction cannot be read or recorded: payments in it are not seen; it is read again from time to time',
    )
  }
  for (const { txHash, blockNumber } of released) {
    log.info(
      { chain_id: chainId, provider: host, tx_hash: txHash, block: String(blockNumber) },
      'a transaction that could not be read or recorded is recorded now, or a reorg removed it',
    )
  }
  const { rereadFailure } = polled.state
  if (rereadFailure !== null && rereadFailure !== before.rereadFailure) {
    log.warn(
      { chain_id: chainId, reason: rereadFailure },
      'blocks cannot be read again, as a check or for `chain rescan`; they stay due',
    )
  }
  if (delayedTransfers > 0) {
    log.warn(
      { chain_id: chainId, provider: host, transfers: delayedTransfers },
      'the provider shows transfers that it did not show in earlier polls of their blocks',
    )
  }
}

function namesOf(unit: Unit): Readonly<Record<string, unknown>> {
  switch (unit.type) {
    case 'transaction':
      return { tx_hash: unit.transaction.txHash }
    case 'intent':
      return { payment_intent: unit.intentId }
    case 'refund':
      return { refund: unit.refundId }
    case 'orphaned':
      return {
        ...(unit.intentId === null ? {} : { payment_intent: unit.intentId }),
        transfers: unit.transfers.map(({ id }) => id),
      }
  }
}
