import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rows } from './rows.ts'
import { runAll } from './runAll.ts'
import { runtimes } from './runtimes.ts'

const results = runAll(runtimes)

describe.each(runtimes.map(({ name }, index) => ({ name, index })))('$name', ({ index }) => {
  test.for(rows.map(({ name }, row) => ({ name, row })))('$name', async ({ row }, context) => {
    const result = await results[index]
    if (result?.type !== 'ran') return context.skip(`not run: ${result?.why}`)
    expect(result.cells[row]?.complaints).toEqual([])
  })

  test('ends in order', async (context) => {
    const result = await results[index]
    if (result?.type !== 'ran') return context.skip(`not run: ${result?.why}`)
    expect(result.complaints).toEqual([])
  })
})

test('the client’s README tells of every exception', () => {
  const readme = readFileSync(
    new URL('../../packages/node/README.md', import.meta.url),
    'utf8',
  ).replace(/\s+/g, ' ')
  for (const { because } of rows.flatMap(({ except = [] }) => except)) {
    expect(readme).toContain(because)
  }
})
