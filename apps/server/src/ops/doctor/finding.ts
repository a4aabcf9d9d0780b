/** What one check found; `todo` is what the operator does about it. */
export type Finding =
  | { readonly check: string; readonly level: 'ok'; readonly found: string }
  | {
      readonly check: string
      readonly level: 'warn' | 'fail'
      readonly found: string
      readonly todo: string
    }

/** Milliseconds that a check waits for anybody. */
export const checkMs = 5_000

export const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found })
export const warn = (check: string, found: string, todo: string): Finding => {
  return { check, level: 'warn', found, todo }
}
export const fail = (check: string, found: string, todo: string): Finding => {
  return { check, level: 'fail', found, todo }
}

/** A line each, the level first. */
export function printed(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map((finding) => {
      const line = `${finding.level.padEnd(4)}  ${finding.check.padEnd(width)}  ${finding.found}`
      return finding.level === 'ok' ? line : `${line}\n${' '.repeat(width + 8)}→ ${finding.todo}`
    })
    .join('\n')
}
