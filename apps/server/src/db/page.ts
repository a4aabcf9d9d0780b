/** A part of a list. */
export type Page<Item> = {
  readonly items: readonly Item[]
  /** Whether another page begins after the last item. */
  readonly hasMore: boolean
}

/** The page of a statement that was asked for one row more than `limit`. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { items: rows.slice(0, limit).map(toItem), hasMore: rows.length > limit }
}
