import { limits } from '@payment-intents/contract'
import { readReturnOrigin, returnOriginMust } from '@payment-intents/core'
import { newId } from '../store/lists/ids.ts'
import {
  deleteReturnOrigin,
  insertReturnOrigin,
  listReturnOrigins,
} from '../store/merchants/returnOrigins.ts'
import { type Command, UsageError } from './command.ts'

export const returnOriginCommands: Record<string, Command> = {
  'return allow': {
    subject: 'MERCHANT',
    async run(_db, subject, options, { db }) {
      const origin = readOrigin(options.origin)
      const now = new Date()
      const allowed = { id: newId('ro', now.getTime()), origin, createdAt: now }
      if ((await insertReturnOrigin(db, subject, allowed, limits.returnOrigins)) !== 'too_many') {
        return origin
      }
      throw new UsageError(
        `${limits.returnOrigins} origins are allowed to ${subject} already; "return list ${subject}" shows them.`,
      )
    },
  },
  'return list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const allowed = await listReturnOrigins(db, subject)
      return allowed.map(({ origin }) => origin).join('\n')
    },
  },
  'return disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const origin = readOrigin(options.origin)
      const allowed = await listReturnOrigins(db, subject)
      const allowedOrigin = allowed.find((each) => each.origin === origin)
      if (allowedOrigin && (await deleteReturnOrigin(db, subject, allowedOrigin.id))) return origin
      throw new UsageError(
        `${origin} is not allowed to ${subject}; "return list ${subject}" shows the allowed origins.`,
      )
    },
  },
}

function readOrigin(text: string | undefined): string {
  const origin = readReturnOrigin(text ?? '')
  if (origin !== null) return origin
  throw new UsageError(`--origin ${returnOriginMust}.`)
}
