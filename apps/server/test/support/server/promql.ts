import { readFile } from 'node:fs/promises'

const dashboard = new URL('../../../../../deploy/grafana-dashboard.json', import.meta.url)
const alerts = new URL('../../../../../deploy/alerts.yaml', import.meta.url)

type Labels = Readonly<Record<string, string>>

export type Sample = { readonly name: string; readonly labels: Labels; readonly value: number }

/** A metric in an expression of PromQL, with the conditions of its selector. */
type Selector = { readonly name: string; matches(labels: Labels): boolean }

/** Labels that Prometheus adds. */
const added = new Set(['job', 'instance'])

/** Finds the metrics in an expression of PromQL with their selectors, and the labels by which it groups. */
export function namedBy(expression: string): { selectors: Selector[]; groups: string[] } {
  const selectors = [
    ...expression.matchAll(/\b((?:payment_intents|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
  ].map(([, name = '', selector = '']): Selector => {
    const matchers = [...selector.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)]
    return {
      name,
      matches: (labels) =>
        matchers.every(([, label = '', operator = '', expected = '']) => {
          if (added.has(label)) return true
          const result = labels[label]
          if (result === undefined) return false
          const isRegExp = operator.endsWith('~')
          const isEqual = isRegExp
            ? new RegExp(`^(?:${expected})$`).test(result)
            : result === expected
          return isEqual === !operator.startsWith('!')
        }),
    }
  })
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by = '']) =>
    by.split(',').map((label) => label.trim()),
  )
  return { selectors, groups: groups.filter((label) => !added.has(label)) }
}

/** Parses the samples of a scrape. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (!name) return []
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of])
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

/** Reads the expressions of the dashboard and of the alert rules. */
export async function expressions(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(dashboard, 'utf8'))
  const shown = panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  )
  const rules = [...(await readFile(alerts, 'utf8')).matchAll(/^ +expr: (.*)$/gm)]
  return [...shown, ...rules.map(([, expr = '']) => expr)]
}
