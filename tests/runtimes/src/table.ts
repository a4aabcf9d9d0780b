import type { Cell } from './matrix.ts'
import type { Row } from './row.ts'
import type { Outcome } from './runAll.ts'
import type { Runtime } from './runtimes.ts'

/** The matrix as text: what each row expects, and in each runtime seconds and the connections left open. */
export function table(
  rows: readonly Row[],
  runtimes: readonly Runtime[],
  outcomes: readonly Outcome[],
): string {
  const head = ['fault', 'ends with', 'attempts', ...runtimes.map(({ name }) => name)]
  const lines = rows.map((row, index) => [
    ...[row.name, row.ends, String(row.attempts)],
    ...outcomes.map((outcome) => (outcome.type === 'ran' ? show(row, outcome.cells[index]) : '–')),
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  )
  const pad = (line: readonly string[]) =>
    line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')
  const rule = widths.map((width) => '─'.repeat(width))
  return [head, rule, ...lines].map(pad).join('\n')
}

function show(row: Row, cell: Cell | undefined): string {
  if (!cell) return '–'
  const { ended, attempts, milliseconds, sockets, complaints } = cell
  const cost = `${(milliseconds / 1000).toFixed(2)} s · ${sockets}`
  const asEverywhere = ended === row.ends && attempts === row.attempts
  const differs = asEverywhere ? '' : `, ${ended} in ${attempts}`
  return `${complaints.length > 0 ? '✗ ' : ''}${cost}${differs}`
}
