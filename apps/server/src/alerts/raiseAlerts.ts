import type { Logger } from 'pino'
import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import { pause } from '../lib/whileLeased.ts'
import {
  type AlertGroup,
  findDueAlerts,
  putOffAlert,
  storeFailingEndpoints,
} from '../store/alerts/alertObjects.ts'
import { raiseAlert } from '../store/alerts/raiseAlert.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'

export type AlertContext = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly metrics: Pick<Metrics, 'alertRaised'>
  /** The clock of events, Unix milliseconds. */
  readonly now: () => number
  /** The dashboard URL that mails link to. */
  readonly dashboardUrl: string | null
}

const everyMs = 10_000
/** An alert that cannot be raised is retried after this time, behind all others. */
const retryMs = 60_000

/**
 * Raises due alerts, until the signal. Every server does: the database decides which server raises an alert, so that
 * nothing depends on who began, when, or how often it was restarted.
 */
export async function raiseAlerts(
  context: AlertContext & { readonly signal: AbortSignal },
): Promise<void> {
  const { signal, database, log } = context
  while (!signal.aborted) {
    try {
      await raiseDueAlerts(context)
    } catch (error) {
      // The database watch logs an outage once.
      if (classifyDbError(error) !== null) database.report(error)
      else log.warn({ err: error }, 'the search for alerts failed')
    }
    await pause(everyMs, signal)
  }
}

/**
 * One check.
 * @throws if the database fails
 */
export async function raiseDueAlerts(context: AlertContext): Promise<void> {
  const { db, now, log } = context
  await storeFailingEndpoints(db.pool, now())
  for (const group of await findDueAlerts(db.pool, now())) {
    try {
      await raise(context, group)
    } catch (error) {
      if (classifyDbError(error) !== null) throw error
      const { merchantId: merchant, mode, cause } = group
      log.warn({ err: error, merchant, mode, cause }, 'an alert could not be raised')
      await putOffAlert(db.pool, group, { now: now(), until: now() + retryMs })
    }
  }
}

async function raise(
  { db, now, log, metrics, dashboardUrl }: AlertContext,
  group: AlertGroup,
): Promise<void> {
  const raised = await raiseAlert(db, group, now(), dashboardUrl)
  if (raised.type !== 'raised') return
  const { id, cause, count, mode } = raised.alert
  metrics.alertRaised(group.cause)
  log.info({ alert: id, merchant: group.merchantId, mode, cause, count }, 'alert raised')
}
