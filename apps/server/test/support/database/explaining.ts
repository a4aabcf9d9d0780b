import type { Db } from '../../../src/store/connection/connect.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

export type Explaining = {
  /** The database, except that it explains each statement before it executes it. */
  readonly db: Db
  /** The number of PostgreSQL's pages that were read. */
  readonly pages: number
  /** The large tables that were scanned. */
  readonly scanned: ReadonlySet<string>
}

/** @param isLarge matches the names of tables that grow */
export function explaining(db: Db, isLarge: RegExp): Explaining {
  let pages = 0
  const scanned = new Set<string>()
  const query = async (
    requested: string | { text: string; values: unknown[] },
    input?: unknown[],
  ) => {
    const { text, values } =
      typeof requested === 'string' ? { text: requested, values: input } : requested
    const plan = await planOf(db, text, values)
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    const note = (node: Plan) => {
      const table = node['Relation Name'] ?? ''
      if (node['Node Type'] === 'Seq Scan' && isLarge.test(table)) scanned.add(table)
      for (const below of node.Plans ?? []) note(below)
    }
    note(plan)
    return db.pool.query(text, values)
  }
  return {
    db: { pool: { query } as unknown as Db['pool'] },
    get pages() {
      return pages
    },
    scanned,
  }
}

/** Explains a statement, and rolls back its writes. */
async function planOf({ pool }: Db, text: string, values: unknown[] | undefined): Promise<Plan> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('rollback')
    client.release()
  }
}
