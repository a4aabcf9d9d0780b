/** A reorg that a poll found when the head was `head`: the blocks from `from` on replaced others, or may have. */
export type Branch = { readonly from: bigint; readonly head: bigint }

/** The number of blocks that each poll reads again: a node that has just announced a block may not know its logs yet. */
export const rereadBlocks = 10n

/**
 * The branches whose blocks are read again, because fewer than ten blocks followed them. The first begins lowest.
 *
 * @param reorgedFrom the first block of a reorg that this poll found; null: none
 */
export function branchesAfter(
  before: readonly Branch[],
  reorgedFrom: bigint | null,
  head: bigint,
): readonly Branch[] {
  const young = before.filter((branch) => head < branch.head + rereadBlocks)
  if (reorgedFrom === null) return young
  // A branch that begins inside it needs no reads of its own.
  return [...young.filter(({ from }) => from < reorgedFrom), { from: reorgedFrom, head }]
}
