import type { Logger } from 'pino'
import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import { pause } from '../lib/whileLeased.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import {
  type ClaimedMail,
  claimMail,
  deleteMail,
  renewClaim,
  renewClaimMs,
  retryMail,
} from '../store/mails/mails.ts'
import type { MailError, Mailer } from './openMailer.ts'

export type MailContext = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly mailer: Mailer
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>
  readonly metrics: Pick<Metrics, 'mail'>
  /** In [0, 1). */
  readonly random: () => number
  readonly signal: AbortSignal
}

/** The maximum of mails in flight: a slow server for one mail delays no other. */
const atATime = 3
const everyMs = 3_000

/**
 * Sends mails that are due, until the signal. Nothing waits for it. This server or another retries the mails that were in flight at the signal.
 */
export async function sendMails(context: MailContext): Promise<void> {
  await Promise.all(Array.from({ length: atATime }, () => sendEach(context)))
}

async function sendEach(context: MailContext): Promise<void> {
  const { database, log, signal } = context
  while (!signal.aborted) {
    const outcome = await sendDueMail(context).catch((error) => {
      if (classifyDbError(error) !== null) database.report(error)
      else log.warn({ err: error }, 'the mail worker failed')
      return 'failed'
    })
    // Pause, so that a mail server that refuses everything is not called in a loop.
    if (outcome !== 'sent') await pause(everyMs, signal)
  }
}

/**
 * Makes one attempt at the mail that has been due for longest.
 * @throws if the database fails
 */
export async function sendDueMail(context: MailContext): Promise<'sent' | 'failed' | 'none'> {
  const { db, log, metrics, mailer, signal } = context
  const mail = await claimMail(db.pool)
  if (!mail) return 'none'
  try {
    await whileRenewed(context, mail, () => mailer.send(mail, signal))
  } catch (error) {
    await settleFailure(context, mail, error as MailError)
    return 'failed'
  }
  metrics.mail('sent')
  await deleteMail(db.pool, mail.id)
  log.debug({ mail: mail.id, merchant: mail.merchantId }, 'mail sent')
  return 'sent'
}

async function whileRenewed(
  { db, database }: MailContext,
  mail: ClaimedMail,
  work: () => Promise<void>,
): Promise<void> {
  const renewing = setInterval(() => {
    renewClaim(db.pool, mail).catch((error) => database.report(error))
  }, renewClaimMs)
  try {
    await work()
  } finally {
    clearInterval(renewing)
  }
}

async function settleFailure(
  { db, log, metrics, random, signal }: MailContext,
  mail: ClaimedMail,
  error: MailError,
): Promise<void> {
  const settled = await retryMail(db.pool, mail, waitSeconds(mail.attempts, random()))
  const { id, merchantId: merchant, attempts } = mail
  const fields = { mail: id, merchant, attempts, code: error.code, reason: error.message }
  if (settled === 'given_up') {
    metrics.mail('given_up')
    log.error(fields, 'a mail was tried for a day and is given up')
  } else if (!signal.aborted) {
    metrics.mail('failed')
    log.warn(fields, 'a mail could not be sent; it is tried again')
  }
}

const longestWaitSeconds = 3_600

/** 10 s, 30 s, 90 s … up to an hour, each up to a tenth longer. */
function waitSeconds(attempts: number, random: number): number {
  return Math.min(longestWaitSeconds, 10 * 3 ** (attempts - 1)) * (1 + random / 10)
}
