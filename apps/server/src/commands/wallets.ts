import { chainSchema, modeSchema } from '@payment-intents/contract'
import {
  allowWallet,
  disallowWallet,
  listWallets,
  setMerchantWallet,
} from '../db/merchants/merchants.ts'
import { type Command, lines, oneOf, readAddress, UsageError } from './command.ts'

export const walletCommands: Record<string, Command> = {
  'wallet set': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      await setMerchantWallet(db, {
        merchantId: subject,
        mode: oneOf(modeSchema.options, '--mode', options.mode),
        chain: oneOf(chainSchema.options, '--chain', options.chain),
        address,
      })
      return address
    },
  },
  'wallet list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const listed = await listWallets(db, subject)
      if (!listed) throw new UsageError(`No merchant ${subject}.`)
      const print = lines([
        ...listed.wallets.map(({ mode, chain, address }) => [mode, chain, address]),
        ...listed.allowed.map((address) => ['allowed', 'any', address]),
      ])
      if (listed.wallets.length > 0) return print
      return { print, note: 'No wallet is set: every request has to name one (see wallet set).' }
    },
  },
  'wallet allow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      await allowWallet(db, { merchantId: subject, address })
      return address
    },
  },
  'wallet disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      const left = await disallowWallet(db, { merchantId: subject, address })
      if (left === null) {
        throw new UsageError(
          `${address} is not allowed to ${subject}; "wallet list ${subject}" shows what is.`,
        )
      }
      if (left > 0) return address
      return {
        print: address,
        note: 'That was the last one: with no address allowed, requests may name any.',
      }
    },
  },
}
