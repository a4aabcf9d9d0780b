import { chainSchema, modeSchema } from '@payment-intents/contract'
import {
  allowRefundWallet,
  allowWallet,
  disallowRefundWallet,
  disallowWallet,
  listWallets,
  setMerchantWallet,
} from '../store/merchants/merchants.ts'
import { type Command, lines, oneOf, readAddress, UsageError } from './command.ts'

export const walletCommands: Record<string, Command> = {
  'wallet set': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      const set = options['match-plain-price']
      const matchPlainPrice =
        set === undefined ? undefined : oneOf(['on', 'off'], '--match-plain-price', set) === 'on'
      await setMerchantWallet(db, {
        merchantId: subject,
        mode: oneOf(modeSchema.options, '--mode', options.mode),
        chain: oneOf(chainSchema.options, '--chain', options.chain),
        address,
        ...(matchPlainPrice === undefined ? {} : { matchPlainPrice }),
      })
      if (!matchPlainPrice) return address
      const note =
        'A transfer of exactly the price of the only open intent at this wallet now pays it, whoever sent it. Turn that off if the wallet receives anything else.'
      return { print: address, note }
    },
  },
  'wallet list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const listed = await listWallets(db, subject)
      if (!listed) throw new UsageError(`No merchant ${subject}.`)
      const print = lines([
        ...listed.wallets.map(({ mode, chain, address, matchPlainPrice }) => {
          return [mode, chain, address, `match-plain-price ${matchPlainPrice ? 'on' : 'off'}`]
        }),
        ...listed.allowed.map((address) => ['allowed', 'any', address]),
        ...listed.refunding.map((address) => ['refunds', 'any', address]),
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
  'refund allow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      await allowRefundWallet(db, { merchantId: subject, address })
      return address
    },
  },
  'refund disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      if (await disallowRefundWallet(db, { merchantId: subject, address })) return address
      throw new UsageError(
        `${address} is not registered for refunds of ${subject}; "wallet list ${subject}" shows what is.`,
      )
    },
  },
}
