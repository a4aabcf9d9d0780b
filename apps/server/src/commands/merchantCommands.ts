import { chainSchema } from '@payment-intents/contract'
import { newId } from '../store/lists/ids.ts'
import { closeMerchant, insertMerchant, listMerchants } from '../store/merchants/merchants.ts'
import {
  type Command,
  changeSettings,
  enumValue,
  lines,
  readSetting,
  UsageError,
} from './command.ts'

export const merchantCommands: Record<string, Command> = {
  'merchant create': {
    subject: null,
    async run(db, _subject, options) {
      const id = newId('mer', Date.now())
      const chainOption = options['default-chain']
      const defaultChain =
        chainOption === undefined
          ? null
          : enumValue(chainSchema.options, '--default-chain', chainOption)
      const name = readSetting('name', '--name', options.name)
      await insertMerchant(db, { id, name, defaultChain })
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
    async run(_db, subject, options, setting) {
      const name = readSetting('name', '--name', options.name)
      await changeSettings(setting, subject, { name })
      return subject
    },
  },
  'merchant close': {
    subject: 'MERCHANT',
    async run(db, subject) {
      if (!(await closeMerchant(db, subject)))
        throw new UsageError(
          `Merchant ${subject} does not exist, or is closed: merchant list shows all.`,
        )
      return subject
    },
  },
}
