import type { Page } from '@payment-intents/core'

/** One page of a list in its order. Lists that continue after an id have their newest items first. */
export function pageOf<Item extends { readonly id: string }>(
  all: readonly Item[],
  { limit, startingAfter }: { readonly limit: number; readonly startingAfter: string | null },
  isListed: (item: Item) => boolean,
): Page<Item> {
  const listed = all.filter(
    (item) => (startingAfter === null || item.id < startingAfter) && isListed(item),
  )
  return { items: listed.slice(0, limit), hasMore: listed.length > limit }
}
