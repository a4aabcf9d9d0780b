import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** The metrics of one process, as `Registry.getMetricsAsJSON` returns them. */
export type Measured = readonly MetricObjectWithValues<MetricValue<string>>[]

/** From the parent to a worker. */
export type ToWorker =
  | {
      readonly type: 'start'
      readonly number: number
      readonly databaseUrl: string
      readonly pooled: boolean
    }
  | { readonly type: 'measure'; readonly scrape: number }
  | { readonly type: 'summed'; readonly scrape: number; readonly text: string }

/** From a worker to the parent. `scrape` numbers a request; its response repeats it. */
export type ToParent =
  | { readonly type: 'join' }
  | { readonly type: 'sum'; readonly scrape: number }
  | { readonly type: 'measured'; readonly scrape: number; readonly metrics: Measured }
