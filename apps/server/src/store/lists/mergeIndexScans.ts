/** A list of ids of rows. */
export type List = {
  /**
   * SQL of the greatest id below a bound; no row at the end of the list. Invariant: an index finds the id, so that the
   * cost does not depend on the length of the list.
   */
  next: (bound: string) => string
  /** SQL of all ids below a bound. */
  all: (bound: string) => string
}

/** SQL of a column, and of its required value. */
export type Condition = readonly [column: string, value: string]

/** The bounds of the lists, as SQL. */
type Range = {
  /** The ids are below this id; a null value is no bound. */
  readonly below: string
  /** The least id; null: no bound. */
  readonly from: string | null
  /** The maximum of ids. */
  readonly limit: string
}

/** After this many steps, the remaining ids are joined instead. */
const stepsAllowed = 1_000

/**
 * Common table expressions. The last, `listed (id)`, has the ids that are in all lists, newest first.
 *
 * Each step reads the next id of every list and continues at the smallest of them, which skips all ids above it. So a
 * short list ends the walk after few steps, no matter how long the others are (leapfrog join). Only long lists that
 * alternate and have little in common take many steps. A step costs more than a row of a join, so the remaining ids are
 * then joined, which reads each list once.
 * @see https://arxiv.org/abs/1210.0481
 */
export function mergeIndexScans(lists: readonly List[], { below, from, limit }: Range): string {
  const next = lists.map((list, index) => `lateral (${list.next('walk.bound')}) l${index} (id)`)
  const [first, ...others] = lists.map(
    (list, index) => `(${list.all('last.bound')}) l${index} (id)`,
  )
  const joined = [first, ...others.map((other) => `join ${other} using (id)`)].join(' ')
  const ids = lists.map((_, index) => `l${index}.id`).join(', ')
  // All ids have the same length: `id` is below `id || ' '`, and no greater id is.
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
 * The list of the rows that meet all conditions, by an index of the columns and `id`, in this order. For the next id it
 * compares whole rows: since only that index has their order, the planner chooses it with any statistics.
 * @param among tables of the values; each combination of their rows is a range of its own
 * @param within the condition of the index, if the index is partial
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

/** The union of two lists. */
export function eitherOf(list: List, other: List): List {
  return {
    next: (bound) => `
      select id from (${list.next(bound)}) one union all select id from (${other.next(bound)}) other
      order by id desc limit 1`,
    all: (bound) => `${list.all(bound)} union ${other.all(bound)}`,
  }
}

/**
 * A list of few rows, such as those of a transaction.
 * @param ids SQL that selects each id once, by an index
 */
export function fewOf(ids: string): List {
  // `offset 0` keeps the planner from walking an index of all ids until it meets these.
  const all = (bound: string) => `select id from (${ids} offset 0) few (id) where id < ${bound}`
  return { all, next: (bound) => `${all(bound)} order by id desc limit 1` }
}
