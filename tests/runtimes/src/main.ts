import { rows } from './rows.ts'
import { runAll } from './runAll.ts'
import { runtimes } from './runtimes.ts'
import { table } from './table.ts'

/** `pnpm faults [runtime …]` */
const requestedNames = process.argv.slice(2)
const chosen = runtimes.filter(
  ({ name }) => requestedNames.length === 0 || requestedNames.includes(name),
)
if (chosen.length < requestedNames.length || chosen.length === 0) {
  console.error(`Runtimes are ${runtimes.map(({ name }) => `'${name}'`).join(', ')}.`)
  process.exit(2)
}

console.log(`${rows.length} faults in ${chosen.map(({ name }) => name).join(', ')}`)
const startedAt = performance.now()
const outcomes = await Promise.all(runAll(chosen, () => rows))
const seconds = Math.round((performance.now() - startedAt) / 1000)

console.log(`\n${table(rows, chosen, outcomes)}\n`)
const total = { passed: 0, failed: 0, 'not run': 0 }
for (const [index, { name }] of chosen.entries()) {
  const result = outcomes[index]
  if (result?.type === 'unsupported') {
    console.log(`${name}: not run: ${result.why}`)
    total['not run'] += rows.length
    continue
  }
  if (result?.type !== 'ran') {
    console.log(`✗ ${name}: ${result?.error.message}`)
    total.failed += rows.length
    continue
  }
  for (const complaint of result.complaints) console.log(`✗ ${name}: ${complaint}`)
  for (const [number, { complaints }] of result.cells.entries()) {
    total[complaints.length === 0 ? 'passed' : 'failed'] += 1
    for (const complaint of complaints)
      console.log(`✗ ${name}, ${rows[number]?.name}: ${complaint}`)
  }
  total.failed += result.complaints.length
}
console.log(
  `${total.passed} as they should be, ${total.failed} not, ${total['not run']} not run, in ${seconds} s`,
)
process.exitCode = total.failed > 0 ? 1 : 0
