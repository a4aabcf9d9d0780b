import { chainFactsOf, chainSchema, modeSchema } from '@payment-intents/contract'
import {
  allowRefundWallet,
  allowWallet,
  disallowRefundWallet,
  disallowWallet,
  type ListedWallet,
  listWallets,
  setWallet,
  type WalletAccount,
  walletSchema,
} from '../account/walletActions.ts'
import { transaction } from '../store/connection/connect.ts'
import { applySettings } from '../store/merchants/settings.ts'
import {
  type Command,
  enumValue,
  lines,
  readAddress,
  UsageError,
  unknownMerchant,
} from './command.ts'

export const walletCommands: Record<string, Command> = {
  'wallet set': {
    subject: 'MERCHANT',
    async run(_db, subject, options, { db }) {
      const address = readAddress(options.address)
      const set = options['match-plain-price']
      const matchPlainPrice =
        set === undefined
          ? undefined
          : enumValue(['on', 'off'], '--match-plain-price', set) === 'on'
      const where = {
        mode: enumValue(modeSchema.options, '--mode', options.mode),
        chain: enumValue(chainSchema.options, '--chain', options.chain),
      }
      const listed = await transaction(db, async (client) => {
        const wallet = { ...where, ...walletSchema.parse({ address }) }
        const listed = await setWallet(client, operatorOf(subject), wallet)
        if (matchPlainPrice !== undefined) {
          await applySettings(client, subject, { chains: [{ ...where, matchPlainPrice }] })
        }
        return listed
      })
      const note =
        'A transfer of exactly the price of the only open intent at this wallet now pays it, whoever sent it. Turn that off if the wallet receives anything else.'
      const notes = [...(matchPlainPrice ? [note] : []), ...rankNote(listed)]
      return { print: address, note: notes.join('\n') }
    },
  },
  'wallet list': {
    subject: 'MERCHANT',
    async run(db, subject) {
      const listed = await listWallets(db, subject)
      if (!listed) throw unknownMerchant(subject)
      const print = lines([
        ...listed.wallets.map(({ mode, chain, address, matchPlainPrice }) => {
          return [mode, chain, address, `match-plain-price ${matchPlainPrice ? 'on' : 'off'}`]
        }),
        ...listed.allowed.map((address) => ['allowed', 'any', address]),
        ...listed.refunding.map((address) => ['refunds', 'any', address]),
        ...listed.proven.map(({ address, chainId }) => ['proven', placeOf(chainId), address]),
      ])
      if (listed.wallets.length > 0) return print
      return {
        print,
        note: 'The merchant has no wallet, so each request must name a wallet. Set a wallet with wallet set.',
      }
    },
  },
  'wallet allow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      const listed = await allowWallet(db, operatorOf(subject), walletSchema.parse({ address }))
      return { print: address, note: rankNote(listed).join('\n') }
    },
  },
  'wallet disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      const wallet = walletSchema.parse({ address })
      const disallowed = await disallowWallet(db, operatorOf(subject), wallet)
      if (disallowed.type === 'not_listed') {
        throw new UsageError(
          `${address} is not allowed to ${subject}; "wallet list ${subject}" shows the allowed addresses.`,
        )
      }
      if (disallowed.remaining > 0) return address
      return {
        print: address,
        note: 'The list is empty now: requests may name any address.',
      }
    },
  },
  'refund allow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      await allowRefundWallet(db, operatorOf(subject), walletSchema.parse({ address }))
      return address
    },
  },
  'refund disallow': {
    subject: 'MERCHANT',
    async run(db, subject, options) {
      const address = readAddress(options.address)
      const wallet = walletSchema.parse({ address })
      const { type } = await disallowRefundWallet(db, operatorOf(subject), wallet)
      if (type === 'disallowed') return address
      throw new UsageError(
        `${address} is not registered for refunds of ${subject}; "wallet list ${subject}" shows the registered wallets.`,
      )
    },
  },
}

function operatorOf(merchantId: string): WalletAccount {
  return { merchantId, by: 'operator' }
}

function rankNote(listed: ListedWallet): string[] {
  if (listed.type === 'needs_proof' || !listed.isOutranked) return []
  return [
    'Another merchant has proven this wallet: requests that use it are refused until this merchant proves it, too.',
  ]
}

/** The chains on which a proof is valid, as text. */
function placeOf(chainId: number | null): string {
  if (chainId === null) return 'any'
  const { mode, chain } = chainFactsOf(chainId)
  return `${chain} ${mode}`
}
