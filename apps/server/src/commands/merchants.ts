import { chainSchema } from '@payment-intents/contract'
import { newId } from '../store/lists/ids.ts'
import {
  closeMerchant,
  insertMerchant,
  listMerchants,
  renameMerchant,
} from '../store/merchants/merchants.ts'
import { type Command, lines, oneOf, readText, UsageError } from './command.ts'

export const merchantCommands: Record<string, Command> = {
  'merchant create': {
    subject: null,
    async run(db, _subject, options) {
      const id = newId('mer', Date.now())
      const given = options['default-chain']
      const defaultChain =
        given === undefined ? null : oneOf(chainSchema.options, '--default-chain', given)
      await insertMerchant(db, { id, name: readText('--name', options.name), defaultChain })
      return id
    },
  },
  'merchant list': {
    subject: null,
    async run(db) {
      return lines(
        (await listMerchants(db)).map((row) => [
          row.id,
          row.name,
          row.default_chain ?? 'base',
          row.closed_at ? `closed ${row.closed_at.toISOString()}` : 'open',
        ]),
      )
    },
  },
  'merchant rename': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const name = readText('--name', options.name)
      if (!(await renameMerchant(db, subject, name)))
        throw new UsageError(`No merchant ${subject}.`)
      return subject
    },
  },
  'merchant close': {
    subject: 'MERCHANT',
    async run(db, subject) {
      if (!(await closeMerchant(db, subject))) throw new UsageError(`No open merchant ${subject}.`)
      return subject
    },
  },
}
