import { z } from 'zod'
import { isMailAddress } from '../lib/mailAddress.ts'
import { isLocal } from './isLocal.ts'
import type { Env, ReadVariable } from './variables.ts'

/** How mail is sent. Holds a password: never logged. */
export type MailConfig = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly secure: boolean
  /** The mail server is on this machine or its network: TLS is optional, and its certificate is not checked. */
  readonly isLocal: boolean
  /** null: the mail server accepts mail without a login. */
  readonly login: { readonly user: string; readonly password: string } | null
  /** The name may be empty. */
  readonly from: { readonly name: string; readonly address: string }
}

const smtpUrl = z
  .string()
  .transform((text, context) => {
    const server = readSmtpUrl(text.trim())
    if (!server) context.addIssue('is something else')
    return server ?? z.NEVER
  })
  .optional()
  .describe(
    'a URL such as smtps://user:password@smtp.example.com:465 or smtp://user:password@smtp.example.com:587, with the special characters of user and password percent-encoded (# is %23, / is %2F, @ is %40)',
  )

const sender = z
  .string()
  .transform((text, context) => {
    const from = readSender(text.trim())
    if (!from) context.addIssue('is something else')
    return from ?? z.NEVER
  })
  .optional()
  .describe('an address, or a name and an address, such as Payments <payments@example.com>')

/** null without `SMTP_URL`: no mail is sent. Adds a fault if only one of the two variables is set. */
export function readMail(
  read: ReadVariable,
  env: Env,
  addFault: (fault: string) => void,
): MailConfig | null {
  const server = read('SMTP_URL', smtpUrl)
  const from = read('MAIL_FROM', sender)
  if (env.SMTP_URL && !env.MAIL_FROM) {
    addFault('MAIL_FROM: must be set together with SMTP_URL: the address that mails come from')
  }
  return server && from ? { ...server, from } : null
}

function readSmtpUrl(text: string): Omit<MailConfig, 'from'> | null {
  if (!/^smtps?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  const { hostname, username, password, search, hash } = url
  // Other parts of the URL are ignored.
  const isPlain = (url.pathname === '' || url.pathname === '/') && search === '' && hash === ''
  const user = decoded(username)
  const secret = decoded(password)
  if (hostname === '' || !isPlain || user === null || secret === null) return null
  if ((user === '') !== (secret === '')) return null
  const secure = url.protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    isLocal: isLocal(text),
    login: user === '' ? null : { user, password: secret },
  }
}

function readSender(text: string): MailConfig['from'] | null {
  const [, name = '', address = text] = /^"?([^"<>\p{C}]*?)"?\s*<([^<>]*)>$/u.exec(text) ?? []
  return isMailAddress(address) ? { name: name.trim(), address } : null
}

/** null if a `%` starts no encoded character. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
