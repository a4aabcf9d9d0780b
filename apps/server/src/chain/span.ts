/** How many blocks a provider lets one log query cover, as far as is known. */
export type Span = {
  /** Asked for next. */
  readonly blocks: number
  /** The largest number that it took. */
  readonly taken: number
  /** The smallest number that it refused. */
  readonly refused: number
  /** Answers since `blocks` last changed. */
  readonly calm: number
}

const largest = 500
/** A limit on results or bytes moves with the traffic, so a refusal is not believed for ever. */
const calmEnough = 200

export const newSpan: Span = { blocks: largest, taken: 0, refused: Infinity, calm: 0 }

/** After a refusal: back to what was taken before, else half. */
export function shrink(span: Span, asked: number): Span {
  const taken = span.taken < asked ? span.taken : 0
  const blocks = Math.min(span.blocks, taken || Math.max(1, Math.floor(asked / 2)))
  return { blocks, taken, refused: Math.min(span.refused, asked), calm: 0 }
}

/** After an answer: half-way to what was refused, or twice as many. */
export function grow(span: Span, asked: number): Span {
  if (asked < span.blocks || (span.blocks === largest && span.taken === largest)) return span
  const taken = Math.max(span.taken, span.blocks)
  const refused = span.calm >= calmEnough ? Infinity : span.refused
  const blocks =
    refused === Infinity
      ? Math.min(largest, taken * 2)
      : Math.max(taken, Math.floor((taken + refused) / 2))
  return { blocks, taken, refused, calm: blocks === span.blocks ? span.calm + 1 : 0 }
}
