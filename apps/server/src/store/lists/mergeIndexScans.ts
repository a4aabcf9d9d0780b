/** The ids of some of a merchant's rows. */
export type List = {
  /**
   * SQL of the greatest id below a bound; no row at the end of the list. Invariant: an index finds it, so that it costs
   * the same at any length of the list.
   */
  next: (bound: string) => string
  /** SQL of all ids below a bound. */
  all: (bound: string) => string
}

/** SQL of a column and its required value. */
export type Condition = readonly [column: string, value: string]

/** The bounds of the lists, as SQL. */
type Range = {
  /** The id to continue below; null for the newest. */
  readonly below: string
  /** The least id, if bounded. */
  readonly from: string | null
  /** The maximum number of ids. */
  readonly limit: string
}

/** The steps after which alternating lists are joined instead. */
const stepsAllowed = 1_000

/**
 * Common table expressions; `listed (id)` has the ids that are in all of the lists, newest first.
 *
 * Each step reads every list's next id and continues at the smallest, which skips all other ids: a list of few ids ends
 * the walk after few steps, regardless of the others' length (leapfrog join). Only long lists that alternate and have
 * little in common take many steps, each dearer than the row of a join: the remaining ids are joined, which reads each
 * list once.
 * @see https://arxiv.org/abs/1210.0481
 */
export function mergeIndexScans(lists: readonly List[], { below, from, limit }: Range): string {
  const next = lists.map((list, index) => `lateral (${list.next('walk.bound')}) l${index} (id)`)
  const [first, ...others] = lists.map(
    (list, index) => `(${list.all('last.bound')}) l${index} (id)`,
  )
  const joined = [first, ...others.map((other) => `join ${other} using (id)`)].join(' ')
  const ids = lists.map((_, index) => `l${index}.id`).join(', ')
  // Ids have one length: below `id || ' '` is `id`, and nothing that is greater than `id`.
  return `
    with recursive walk (bound, id, found, step) as (
      select coalesce(${below}, '~') collate "C", null::text collate "C", 0, 0
      union all
      select
        case when next.is_in_all then next.id else next.id || ' ' end,
        case when next.is_in_all then next.id end,
        walk.found + next.is_in_all::integer,
        walk.step + 1
      from walk, ${next.join(', ')}, lateral (
        select least(${ids}) as id, least(${ids}) = greatest(${ids}) as is_in_all
      ) next
      where walk.found < ${limit} and walk.step < ${stepsAllowed}
        ${from === null ? '' : `and next.id >= ${from}`}
    ), listed (id) as (
      select id from walk where id is not null
      union all
      select rest.id
      from (select bound, found from walk where step = ${stepsAllowed}) last, lateral (
        select id from ${joined} ${from === null ? '' : `where id >= ${from}`} order by id desc limit ${limit} - last.found
      ) rest
    )`
}

/**
 * The list of the rows that meet all conditions, by an index of their columns and `id`, in this order. For the next id
 * it compares whole rows, since only that index has their order: the planner has no other choice, regardless of its
 * statistics.
 * @param among tables of the values; each combination is read in its own range
 * @param within the condition of the index, if it is partial
 */
export function listOf(
  table: string,
  id: string,
  conditions: readonly Condition[],
  among?: string,
  within = 'true',
): List {
  const columns = conditions.map(([column]) => column)
  const values = conditions.map(([, value]) => value)
  const order = [...columns, id].map((column) => `${column} desc`)
  const last = (bound: string) => `
    select ${id} as id from ${table}
    where (${[...columns, id]}) < (${[...values, bound]}) and (${columns}) >= (${values}) and ${within}
    order by ${order} limit 1`
  return {
    next: (bound) =>
      among
        ? `select last.id from ${among}, lateral (${last(bound)}) last order by last.id desc limit 1`
        : last(bound),
    all: (bound) => `
      select ${id} from ${[table, ...(among ? [among] : [])]}
      where (${columns}) = (${values}) and ${id} < ${bound} and ${within}`,
  }
}

/** The rows of either list. */
export function eitherOf(list: List, other: List): List {
  return {
    next: (bound) => `
      select id from (${list.next(bound)}) one union all select id from (${other.next(bound)}) other
      order by id desc limit 1`,
    all: (bound) => `${list.all(bound)} union ${other.all(bound)}`,
  }
}

/**
 * A list of few rows, such as those of one transaction.
 * @param ids SQL of all their ids, by an index, each once
 */
export function fewOf(ids: string): List {
  // `offset 0` keeps the planner from walking an index of ids until it meets one of these.
  const all = (bound: string) => `select id from (${ids} offset 0) few (id) where id < ${bound}`
  return { all, next: (bound) => `${all(bound)} order by id desc limit 1` }
}
