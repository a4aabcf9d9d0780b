/** Blocks from `from` on that came in place of others, or are taken to have: they are as new as the head of then. */
export type Branch = { readonly from: bigint; readonly head: bigint }

/** How far each poll goes back: a node that has just announced a block may not know its logs yet. */
export const rereadBlocks = 10n

/**
 * The branches whose blocks are read again, since fewer than ten blocks have come since. The first begins lowest.
 *
 * @param replacedFrom where a branch begins that this poll has found; null: it has found none
 */
export function branchesAfter(
  before: readonly Branch[],
  replacedFrom: bigint | null,
  head: bigint,
): readonly Branch[] {
  const young = before.filter((branch) => head < branch.head + rereadBlocks)
  if (replacedFrom === null) return young
  // It is read again for longer than those that begin within it.
  return [...young.filter(({ from }) => from < replacedFrom), { from: replacedFrom, head }]
}
