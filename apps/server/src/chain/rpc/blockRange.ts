/** The number of blocks that a provider accepts in one log query, as learned so far. */
export type BlockRange = {
  /** The blocks of the next query. */
  readonly blocks: number
  /** The largest number of blocks that the provider accepted. */
  readonly accepted: number
  /** The smallest number that it refused. */
  readonly refused: number
  /** Responses since `blocks` last changed. */
  readonly calm: number
}

const largest = 500
/** The responses after which a refusal is forgotten: a limit of results or bytes changes with the traffic. */
const calmEnough = 200

export const newBlockRange: BlockRange = {
  blocks: largest,
  accepted: 0,
  refused: Infinity,
  calm: 0,
}

/** The range after a refusal: the largest accepted number, else half. @param blocks of the query */
export function shrink(range: BlockRange, blocks: number): BlockRange {
  const accepted = range.accepted < blocks ? range.accepted : 0
  const next = Math.min(range.blocks, accepted || Math.max(1, Math.floor(blocks / 2)))
  return { blocks: next, accepted, refused: Math.min(range.refused, blocks), calm: 0 }
}

/** The range after a response: halfway to the refused number, or twice as many. @param blocks of the query */
export function grow(range: BlockRange, blocks: number): BlockRange {
  if (blocks < range.blocks || (range.blocks === largest && range.accepted === largest)) {
    return range
  }
  const accepted = Math.max(range.accepted, range.blocks)
  const refused = range.calm >= calmEnough ? Infinity : range.refused
  const next =
    refused === Infinity
      ? Math.min(largest, accepted * 2)
      : Math.max(accepted, Math.floor((accepted + refused) / 2))
  return { blocks: next, accepted, refused, calm: next === range.blocks ? range.calm + 1 : 0 }
}
