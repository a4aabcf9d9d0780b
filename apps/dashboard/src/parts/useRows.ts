import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'

/** The number of rows of a page. */
const limit = 50

/** The parameters of a list's page. */
type Place = { readonly limit: number; readonly starting_after?: string }
type Page<Item> = { readonly data: readonly Item[]; readonly has_more: boolean }

/**
 * Builds the infinite query of a list.
 *
 * @param key the query key; live events find the query by its first word, the noun
 * @param cursorOf the id that the next page starts after
 */
export function rowsQuery<Item>(
  key: readonly unknown[],
  readPage: (place: Place, signal: AbortSignal) => Promise<Page<Item>>,
  cursorOf: (item: Item) => string = (item) => (item as { id: string }).id,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: { limit } as Place,
    getNextPageParam({ data, has_more }) {
      const last = data.at(-1)
      return has_more && last ? { limit, starting_after: cursorOf(last) } : undefined
    },
  })
}

/** All loaded rows of a list, and a function that loads more. */
export function useRows<Item>(options: ReturnType<typeof rowsQuery<Item>>): Rows<Item> {
  const query = useInfiniteQuery(options)
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? []
  return {
    ...{ rows, error: query.error, isPending: query.isPending, hasMore: query.hasNextPage },
    retry: () => void query.refetch(),
    readMore: () => {
      if (query.hasNextPage && !query.isFetching) void query.fetchNextPage()
    },
  }
}

export type Rows<Item> = {
  readonly rows: readonly Item[]
  readonly error: unknown
  readonly isPending: boolean
  readonly hasMore: boolean
  retry(): void
  readMore(): void
}
