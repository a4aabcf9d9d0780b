import type { Config } from '../../config.ts'
import type { MailError } from '../../mail/openMailer.ts'
import { checkMs, type Finding, fail, ok } from './finding.ts'

/** Checks whether the mail server accepts the login. Sends nothing. Empty without a mail server. */
export async function checkMail({ mail }: Pick<Config, 'mail'>): Promise<Finding[]> {
  if (!mail) return []
  const check = 'mail'
  const where = `${mail.host}:${mail.port}`
  const { openMailer } = await import('../../mail/openMailer.ts')
  try {
    await openMailer(mail).check(AbortSignal.timeout(checkMs))
    return [ok(check, `${where} ${mail.login ? 'accepts the login' : 'responds'}`)]
  } catch (error) {
    const { code, message } = error as MailError
    const reason = code === 'ABORTED' ? 'no response in 5 s' : message
    return [fail(check, `${where} accepts no mail (${reason})`, todoOf(code))]
  }
}

/** @param code of nodemailer */
function todoOf(code: string): string {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'correct user and password in SMTP_URL'
  if (code === 'ETLS') {
    return 'use smtps:// in SMTP_URL if the port begins with TLS, or a mail server that has a valid certificate'
  }
  return 'correct host, port and scheme in SMTP_URL (smtps:// for 465, smtp:// for 587), or start the mail server'
}
