import { modeSchema } from '@payment-intents/contract'
import { apiKeyHint, hashApiKey, newApiKey } from '../lib/crypto/apiKey.ts'
import { newId } from '../store/lists/ids.ts'
import { insertApiKey, labelApiKey, listApiKeys, revokeApiKey } from '../store/merchants/apiKeys.ts'
import { type Command, lines, oneOf, readText, UsageError } from './command.ts'

export const keyCommands: Record<string, Command> = {
  'key create': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const mode = oneOf(modeSchema.options, '--mode', options.mode)
      const key = newApiKey(mode)
      await insertApiKey(db, {
        id: newId('key', Date.now()),
        merchantId: subject,
        mode,
        hash: hashApiKey(key),
        hint: apiKeyHint(key),
        label: options.label === undefined ? '' : readLabel(options.label),
      })
      return key
    },
  },
  'key list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const keys = await listApiKeys(db, subject)
      if (!keys) throw new UsageError(`No merchant ${subject}.`)
      return lines(
        keys.map((row) => [
          row.id,
          row.mode,
          row.hint,
          row.revoked_at ? `revoked ${row.revoked_at.toISOString()}` : 'live',
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

function readLabel(given: string | undefined): string {
  const label = readText('--label', given)
  // One pasted into the wrong place would be kept in the clear.
  if (!/[sr]k_(test|live)_\w{20}/.test(label)) return label
  throw new UsageError(
    '--label holds an API key: give what the key is for, such as "shop backend".',
  )
}

function noKey(subject: string, kind = ''): string {
  const isKey = /^sk_/.test(subject)
  return isKey
    ? 'Give the id of the key (key_…), as "key list MERCHANT" shows it, and never the key itself.'
    : `No ${kind}API key ${subject}.`
}
