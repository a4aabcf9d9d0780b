import { readSupport } from '@payment-intents/core'
import type { Queryable } from '../db/connect.ts'
import { findSupport, setSupport } from '../db/merchants/support.ts'
import { type Command, UsageError } from './command.ts'

export const supportCommands: Record<string, Command> = {
  'support set': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const contact = readSupport(options.contact ?? '')
      if (contact === null) {
        throw new UsageError(
          '--contact must be a mail address, such as help@shop.example, or an https:// URL, of at most 200 characters.',
        )
      }
      if (await setSupport(db, subject, contact)) return contact
      throw new UsageError(`No merchant ${subject}.`)
    },
  },
  'support show': {
    subject: 'MERCHANT',
    run: async (db, subject) => (await existing(db, subject)) ?? '',
  },
  'support remove': {
    subject: 'MERCHANT',
    async run(db, subject) {
      if ((await existing(db, subject)) === null) {
        throw new UsageError(`${subject} has no support contact.`)
      }
      await setSupport(db, subject, null)
      return subject
    },
  },
}

async function existing(db: Queryable, merchantId: string): Promise<string | null> {
  const merchant = await findSupport(db, merchantId)
  if (!merchant) throw new UsageError(`No merchant ${merchantId}.`)
  return merchant.support
}
