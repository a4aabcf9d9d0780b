import { type Hex, pad } from 'viem'

export const topicsPerQuery = 1_000
const queriesPerPoll = 3

export function topicFilters(topics: readonly Hex[]): (Hex[] | null)[] {
  if (watchesEveryTransfer({ size: topics.length })) return [null]
  const filters: Hex[][] = []
  for (let start = 0; start < topics.length; start += topicsPerQuery) {
    filters.push(topics.slice(start, start + topicsPerQuery).map((topic) => pad(topic)))
  }
  return filters
}

/** Whether to request all transfers of the token: past three full queries, that costs less. */
export function watchesEveryTransfer(topics: { readonly size: number }): boolean {
  return topics.size > topicsPerQuery * queriesPerPoll
}
