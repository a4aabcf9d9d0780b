import { returnOriginOf } from '@payment-intents/core'
import {
  allowReturnOrigin,
  disallowReturnOrigin,
  listReturnOrigins,
} from '../store/merchants/returnOrigins.ts'
import { type Command, UsageError } from './command.ts'

export const returnOriginCommands: Record<string, Command> = {
  'return allow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const origin = readOrigin(options.origin)
      await allowReturnOrigin(db, { merchantId: subject, origin })
      return origin
    },
  },
  'return list': {
    subject: 'MERCHANT',
    run: async (db, subject) => (await listReturnOrigins(db, subject)).join('\n'),
  },
  'return disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const origin = readOrigin(options.origin)
      if (await disallowReturnOrigin(db, { merchantId: subject, origin })) return origin
      throw new UsageError(
        `${origin} is not allowed to ${subject}; "return list ${subject}" shows what is.`,
      )
    },
  },
}

/** An origin alone: a path would promise that only what is below it is allowed. */
function readOrigin(given: string | undefined): string {
  const origin = returnOriginOf(given ?? '')
  if (origin && new URL(given ?? '').href === `${origin}/`) return origin
  throw new UsageError(
    '--origin must be https:// and a host, such as https://shop.example.com, without a path; http:// only on localhost, for test mode.',
  )
}
