import { readFileSync } from 'node:fs'
import { describe, expect, type TestContext, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import type { RuntimeResult } from './matrix.ts'
import type { Row } from './row.ts'
import { rows } from './rows.ts'
import { runAll } from './runAll.ts'
import { type Runtime, runtimes } from './runtimes.ts'

/** All rows in Node 24 and the `quick` rows in the other runtimes; or all rows in all runtimes. */
function rowsOf({ name }: Runtime): readonly Row[] {
  if (isFull || name === 'Node 24') return rows
  return rows.filter(({ quick }) => quick)
}

const outcomes = runAll(runtimes, rowsOf)

async function resultOf(index: number, context: TestContext): Promise<RuntimeResult> {
  const outcome = await outcomes[index]
  if (outcome?.type === 'unsupported') return context.skip(outcome.why)
  if (outcome?.type !== 'ran') throw outcome?.error
  return outcome
}

describe.each(runtimes.map((runtime, index) => ({ ...runtime, index })))(
  '$name',
  ({ index, ...runtime }) => {
    const names = rowsOf(runtime).map(({ name }, row) => ({ name, row }))
    test.for(names)('$name', async ({ row }, context) => {
      expect((await resultOf(index, context)).cells[row]?.complaints).toEqual([])
    })

    test('ends in order', async (context) => {
      expect((await resultOf(index, context)).complaints).toEqual([])
    })
  },
)

test('the client’s README states every exception', () => {
  const readme = readFileSync(
    new URL('../../../packages/node/README.md', import.meta.url),
    'utf8',
  ).replace(/\s+/g, ' ')
  for (const { because } of rows.flatMap(({ except = [] }) => except)) {
    expect(readme).toContain(because)
  }
})
