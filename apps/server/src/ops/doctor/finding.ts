/** The result of one check; `todo` tells the operator how to fix it. */
export type Finding =
  | { readonly check: string; readonly level: 'ok'; readonly summary: string }
  | {
      readonly check: string
      readonly level: 'warn' | 'fail'
      readonly summary: string
      readonly todo: string
    }

/** Timeout of each request of a check, in milliseconds. */
export const checkMs = 5_000

export const ok = (check: string, summary: string): Finding => ({ check, level: 'ok', summary })
export const warn = (check: string, summary: string, todo: string): Finding => {
  return { check, level: 'warn', summary, todo }
}
export const fail = (check: string, summary: string, todo: string): Finding => {
  return { check, level: 'fail', summary, todo }
}

/** Prints a line for each finding, the level first, and below a fault what to do. */
export function printed(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map((finding) => {
      const line = `${finding.level.padEnd(4)}  ${finding.check.padEnd(width)}  ${finding.summary}`
      return finding.level === 'ok' ? line : `${line}\n${' '.repeat(width + 8)}→ ${finding.todo}`
    })
    .join('\n')
}
