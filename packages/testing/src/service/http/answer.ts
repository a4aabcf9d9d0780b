export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A JSON answer that is not cached. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status: 200, headers: { ...own, ...headers }, body: JSON.stringify(value) }
}

/** One page of a list; `all` is in list order. */
export function page<Item>(
  all: readonly Item[],
  limit: number,
  present: (item: Item) => unknown,
): Answer {
  return json({ data: all.slice(0, limit).map(present), has_more: all.length > limit })
}
