import type { Page } from '@payment-intents/core'

/** @param rows of a statement that reads one row more than `limit` */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { items: rows.slice(0, limit).map(toItem), hasMore: rows.length > limit }
}
