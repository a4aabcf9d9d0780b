/** How many blocks a provider lets one log query cover, as far as is known. */
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
/** A limit on results or bytes moves with the traffic, so a refusal counts for a while only. */
const calmEnough = 200

export const newBlockRange: BlockRange = {
  blocks: largest,
  accepted: 0,
  refused: Infinity,
  calm: 0,
}

/** After a refusal: the largest number that was accepted before, else half. @param blocks of the query */
export function shrink(range: BlockRange, blocks: number): BlockRange {
  const accepted = range.accepted < blocks ? range.accepted : 0
  const next = Math.min(range.blocks, accepted || Math.max(1, Math.floor(blocks / 2)))
  return { blocks: next, accepted, refused: Math.min(range.refused, blocks), calm: 0 }
}

/** After a response: half-way to what was refused, or twice as many. @param blocks of the query */
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
