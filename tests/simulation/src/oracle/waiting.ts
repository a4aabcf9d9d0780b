import { type Block, type Chain, deepestFork } from '../chain/chain.ts'
import type { Transaction } from '../chain/transaction.ts'
import { type Knowledge, type Promised, until } from './knowledge.ts'

const blockSeconds = 2
/** Blocks that may be read for the first time up to this much after they were announced. */
const rereadBlocks = 12n

/**
 * Whether an intent waits for a transaction where it is mined. It may or may not for a transaction that was sent before
 * the creation, unless its block is known to have been read by then, and for a transaction that was read when its late
 * window had ended.
 */
export function waits(
  intent: Promised,
  { transaction, block }: { transaction: Transaction; block: Block },
  knowledge: Pick<Knowledge, 'chain' | 'headersLostAt'>,
): 'yes' | 'perhaps' | 'no' {
  const { timestamp } = block
  const { createdAt, moment, readTo } = intent
  const clocks = [createdAt, readTo?.timestamp ?? createdAt]
  if (timestamp > until(intent)) return 'no'
  const isEarlier = timestamp < Math.min(...clocks) - blockSeconds
  if (isEarlier && wasReadBefore(intent, block, knowledge)) return 'no'
  const isLater = transaction.moment > moment && timestamp > Math.max(...clocks)
  return isLater && isWaiting(intent, block, knowledge.chain) ? 'yes' : 'perhaps'
}

/** Whether an intent certainly has its wallet looked at in a block. */
export function isWaiting(intent: Promised, block: Block, chain: Chain): boolean {
  return (
    block.moment > intent.moment &&
    block.timestamp <= until(intent) &&
    !perhapsReleased(block, until(intent), chain)
  )
}

/** Whether a block had been read when an intent was created, and nothing since then could make it look new. */
function wasReadBefore(
  { moment, readTo }: Promised,
  block: Block,
  { chain, headersLostAt }: Pick<Knowledge, 'chain' | 'headersLostAt'>,
): boolean {
  if (chain.since(block) > moment) return false
  if (!readTo) return true
  let read = readTo.hash ? chain.blocks.get(readTo.hash) : undefined
  if (!read || headersLostAt + deepestFork > read.number) return false
  while (read && read.number > block.number) read = chain.blocks.get(read.parentHash)
  return read === block
}

/**
 * Whether the end of a late window may have been read before this block was: it was reported late, or became
 * part of the chain, for the first time or again, after that.
 */
function perhapsReleased(block: Block, time: number, chain: Chain): boolean {
  // No block is later than the head: the clock of a chain does not go back.
  if (chain.head.timestamp <= time) return false
  for (const other of chain.blocks.values()) {
    if (other.timestamp <= time) continue
    return chain.since(block) > other.moment || other.number - block.number <= rereadBlocks
  }
  return false
}
