/** One page of a list. */
export type Page<Item> = {
  readonly items: readonly Item[]
  /** Whether more items follow the last. */
  readonly hasMore: boolean
}

/** One page as JSON text. @param present returns the JSON text of an item */
export function presentPage<Item>(page: Page<Item>, present: (item: Item) => string): string {
  return `{"data":[${page.items.map(present).join(',')}],"has_more":${page.hasMore}}`
}
