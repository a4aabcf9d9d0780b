import { modeSchema } from '@payment-intents/contract'
import { apiKeyLabel, createApiKey } from '../account/apiKeyEndpoints.ts'
import {
  type ApiKeyRow,
  apiKeyScopes,
  labelApiKey,
  listApiKeys,
  revokeApiKey,
} from '../store/merchants/apiKeys.ts'
import { type Command, enumValue, lines, readText, UsageError, unknownMerchant } from './command.ts'

export const keyCommands: Record<string, Command> = {
  'key create': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const mode = enumValue(modeSchema.options, '--mode', options.mode)
      const label = options.label === undefined ? '' : readLabel(options.label)
      const scope = enumValue(apiKeyScopes, '--scope', options.scope ?? 'full')
      const created = await createApiKey(db, {
        ...{ merchantId: subject, mode, label, scope, now: Date.now() },
      })
      return created.key
    },
  },
  'key list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const keys = await listApiKeys(db, subject)
      if (!keys) throw unknownMerchant(subject)
      return lines(
        keys.map((row) => [
          row.id,
          row.mode,
          row.hint,
          statusOf(row),
          row.scope,
          row.last_used_at ? `used ${row.last_used_at.toISOString()}` : 'never used',
          row.label,
        ]),
      )
    },
  },
  'key label': {
    subject: 'KEY_ID',
    async run(db, subject, options) {
      const label = readLabel(options.label)
      if (!(await labelApiKey(db, subject, label))) throw new UsageError(noKey(subject))
      return subject
    },
  },
  'key revoke': {
    subject: 'KEY_ID',
    async run(db, subject) {
      if (!(await revokeApiKey(db, subject))) throw new UsageError(noKey(subject, 'live '))
      return subject
    },
  },
}

function statusOf({ revoked_at: revokedAt }: ApiKeyRow): string {
  if (!revokedAt) return 'live'
  const verb = revokedAt.getTime() > Date.now() ? 'expires' : 'revoked'
  return `${verb} ${revokedAt.toISOString()}`
}

function readLabel(text: string | undefined): string {
  const label = readText('--label', text)
  const parsed = apiKeyLabel.safeParse(label)
  if (parsed.success) return parsed.data
  throw new UsageError(`--label ${parsed.error.issues.map(({ message }) => message).join(', ')}.`)
}

function noKey(subject: string, kind = ''): string {
  const isKey = /^sk_/.test(subject)
  return isKey
    ? 'Pass the id of the key (key_…), as "key list MERCHANT" shows it, and never the key itself.'
    : `There is no ${kind}API key ${subject}: key list MERCHANT shows all.`
}
