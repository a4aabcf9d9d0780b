import { readFile } from 'node:fs/promises'

const dashboard = new URL('../../../deploy/grafana-dashboard.json', import.meta.url)
const alerts = new URL('../../../deploy/alerts.yaml', import.meta.url)

/** What an expression of PromQL names: metrics with their selectors, and labels that it groups by. */
export function namedBy(expression: string) {
  const metrics = [
    ...expression.matchAll(/\b((?:payment_intents|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
  ].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label),
  }))
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by = '']) =>
    by.split(',').map((label) => label.trim()),
  )
  return { metrics, groups }
}

/** Those of the dashboard and of the alert rules. */
export async function expressions(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(dashboard, 'utf8'))
  const shown = panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  )
  const rules = [...(await readFile(alerts, 'utf8')).matchAll(/^ +expr: (.*)$/gm)]
  return [...shown, ...rules.map(([, expr = '']) => expr)]
}
