import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { compile } from './support/compile.ts'

const folder = join(inject('projects'), 'backend')

/** The codes in the first column of the table of a section of the README. */
async function documentedCodes(heading: string): Promise<string[]> {
  const path = join(import.meta.dirname, '../../../packages/node/README.md')
  const sections = (await readFile(path, 'utf8')).split(/^## /m)
  const section = sections.find((text) => text.startsWith(heading)) ?? ''
  const [, table = ''] = section.split(/^\| `code` .*\n/m)
  const [rows = ''] = table.split('\n\n', 1)
  const cells = [...rows.matchAll(/^\|([^|]*)/gm)].map(([, cell = '']) => cell)
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
}

/** A function on one line, so that a line of the compiler's output names it. */
function handle(name: string, type: string, codes: readonly string[]): string {
  const cases = codes.map((code) => `case '${code}':`).join(' ')
  return `export function ${name}({ code }: ${type}): string { switch (code) { ${cases} return 'x' } }`
}

/** Name of the function at each fault. */
async function faults(type: string, functions: readonly string[]): Promise<string[]> {
  const lines = [`import type { ${type} } from '@payment-intents/node'`, ...functions]
  await writeFile(join(folder, 'exhaustive.ts'), lines.join('\n'))
  const config = { extends: './tsconfig.json', files: ['exhaustive.ts'] }
  const compilerOptions = { skipLibCheck: true, noEmit: true }
  await writeFile(
    join(folder, 'tsconfig.exhaustive.json'),
    JSON.stringify({ ...config, compilerOptions }),
  )
  const output = await compile(folder, '-p', 'tsconfig.exhaustive.json').then(
    () => '',
    (error: Error) => error.message,
  )
  return [...output.matchAll(/^exhaustive\.ts\((\d+),\d+\): error (TS\d+)/gm)].map(
    ([, line, code]) => `${/function (\w+)/.exec(lines[Number(line) - 1] ?? '')?.[1]} ${code}`,
  )
}

test.each([
  ['Errors', 'PaymentIntentsError'],
  ['Webhooks', 'WebhookVerificationError'],
])(
  'a switch over the codes of "%s" compiles, and without any one of them it does not',
  async (heading, type) => {
    const codes = await documentedCodes(heading)
    expect(codes.length).toBeGreaterThan(10)
    const incomplete = codes.map((missing) => {
      const rest = codes.filter((code) => code !== missing)
      return handle(`without_${missing}`, type, rest)
    })
    // TS2366: the function lacks an ending return statement.
    const expected = codes.map((missing) => `without_${missing} TS2366`)
    expect(await faults(type, [handle('complete', type, codes), ...incomplete])).toEqual(expected)
  },
)
