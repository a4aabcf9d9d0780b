import type { Alert, AlertCause, Mode } from '@payment-intents/contract'

/** An alert. Times are Unix milliseconds. */
export type RaisedAlert = {
  readonly id: string
  readonly cause: AlertCause
  readonly mode: Mode
  /** The objects that it is about, oldest first. */
  readonly objects: readonly { readonly id: string; readonly since: number }[]
}

/** The most ids that an alert names. */
const maxNames = 10

/** `data.object` of `alert.raised`. The alert has at least one object. */
export function presentAlert({ id, cause, mode, objects }: RaisedAlert): Alert {
  const named = objects.slice(0, maxNames)
  return {
    ...{ id, cause, count: objects.length, mode },
    since: new Date(named[0]?.since ?? Number.NaN).toISOString(),
    objects: named.map((object) => object.id),
  }
}
