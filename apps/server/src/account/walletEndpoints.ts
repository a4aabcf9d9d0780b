import type { Address } from '@payment-intents/contract'
import { HttpError, internalError, invalidBody } from '@payment-intents/core'
import { type AccountContext, accountEndpoint } from './accountEndpoint.ts'
import { toRfc3339 } from './fieldFormats.ts'
import { noSuch } from './noSuch.ts'
import {
  allowRefundWallet,
  allowWallet,
  disallowRefundWallet,
  disallowWallet,
  type ListedWallet,
  listWallets,
  setWallet,
  setWalletSchema,
  walletSchema,
} from './walletActions.ts'
import {
  finishWalletProof,
  finishWalletProofSchema,
  startWalletProof,
  startWalletProofSchema,
  withdrawWalletProof,
} from './walletProofActions.ts'

const owner = { role: 'owner', needsProof: true } as const

/** Endpoints of wallets that receive payments, that requests may name, or that pay refunds. */
export const walletEndpoints = {
  listWallets: accountEndpoint({
    ...{ method: 'GET', path: '/account/wallets', role: 'reader', needsProof: false },
    async handle({ db }, { merchant, mode }) {
      const listed = await listWallets(db.pool, merchant.id)
      if (!listed) throw noSuch('wallet')
      const wallets = listed.wallets.filter((wallet) => wallet.mode === mode)
      return {
        body: {
          wallets: wallets.map(({ chain, address, matchPlainPrice }) => {
            return { chain, address, match_plain_price: matchPlainPrice }
          }),
          allowed_recipients: listed.allowed,
          refund_wallets: listed.refunding,
          proven: listed.proven.map(({ address, chainId }) => ({ address, chain_id: chainId })),
        },
      }
    },
  }),

  setWallet: accountEndpoint({
    ...{ ...owner, method: 'POST', path: '/account/wallets', notice: 'changed a wallet' },
    body: setWalletSchema,
    async handle({ db }, { merchant, body }) {
      const listed = await setWallet(db.pool, { merchantId: merchant.id, by: 'owner' }, body)
      return presentListed(listed)
    },
  }),

  allowRecipient: accountEndpoint({
    ...{ ...owner, method: 'POST', path: '/account/allowed_recipients' },
    notice: 'allowed a recipient of payments',
    body: walletSchema,
    async handle({ db }, { merchant, body }) {
      const listed = await allowWallet(db.pool, { merchantId: merchant.id, by: 'owner' }, body)
      return presentListed(listed)
    },
  }),

  disallowRecipient: accountEndpoint({
    ...{ ...owner, method: 'DELETE', path: '/account/allowed_recipients/:id' },
    notice: 'removed a recipient of payments',
    async handle({ db }, { merchant, id }) {
      const wallet = { address: addressOf(id) }
      const result = await disallowWallet(db.pool, { merchantId: merchant.id, by: 'owner' }, wallet)
      if (result.type === 'not_listed') throw noSuch('wallet')
      return { body: { address: wallet.address, remaining: result.remaining } }
    },
  }),

  allowRefundWallet: accountEndpoint({
    ...{ ...owner, method: 'POST', path: '/account/refund_wallets' },
    notice: 'allowed a wallet to pay refunds',
    body: walletSchema,
    async handle({ db }, { merchant, body }) {
      await allowRefundWallet(db.pool, { merchantId: merchant.id, by: 'owner' }, body)
      return { body, subject: body.address }
    },
  }),

  disallowRefundWallet: accountEndpoint({
    ...{ ...owner, method: 'DELETE', path: '/account/refund_wallets/:id' },
    notice: 'removed a wallet that pays refunds',
    async handle({ db }, { merchant, id }) {
      const wallet = { address: addressOf(id) }
      const account = { merchantId: merchant.id, by: 'owner' } as const
      const { type } = await disallowRefundWallet(db.pool, account, wallet)
      if (type === 'not_listed') throw noSuch('wallet')
      return { body: wallet }
    },
  }),

  startWalletProof: accountEndpoint({
    ...{ ...owner, method: 'POST', path: '/account/wallet_proofs/message', isUnlogged: true },
    body: startWalletProofSchema,
    async handle(context, { merchant, body }) {
      const account = { merchantId: merchant.id }
      const { message, expiresAt } = await startWalletProof(proving(context), account, body)
      return { body: { message, expires_at: toRfc3339(expiresAt) } }
    },
  }),

  /** The proof that the merchant holds a wallet's key outranks every merchant who only names the wallet. */
  finishWalletProof: accountEndpoint({
    ...{ ...owner, method: 'POST', path: '/account/wallet_proofs', notice: 'proved a wallet' },
    body: finishWalletProofSchema,
    async handle(context, { merchant, body }) {
      const finished = await finishWalletProof(proving(context), { merchantId: merchant.id }, body)
      switch (finished.type) {
        case 'refused':
          throw invalidBody([{ path: 'message', message: finished.message }])
        case 'unavailable':
          throw internalError()
        case 'proven': {
          const { chainId, others } = finished
          const response = { address: body.address, chain_id: chainId, other_merchants: others }
          return { body: response, subject: body.address }
        }
      }
    },
  }),

  /** Withdraws the proof of a wallet. Open payment intents continue. */
  withdrawWalletProof: accountEndpoint({
    ...{ ...owner, method: 'DELETE', path: '/account/wallet_proofs/:id' },
    notice: 'withdrew the proof of a wallet',
    async handle({ db }, { merchant, id }) {
      const address = addressOf(id)
      const { type } = await withdrawWalletProof(db.pool, { merchantId: merchant.id, address })
      if (type === 'not_proven') throw noSuch('wallet')
      return { body: { address } }
    },
  }),
}

function proving({ db, now, dashboardUrl, checkAccountSignature }: AccountContext) {
  return { db: db.pool, now, url: dashboardUrl, checkAccountSignature }
}

function addressOf(text: string): Address {
  const parsed = walletSchema.safeParse({ address: text })
  if (!parsed.success) throw noSuch('wallet')
  return parsed.data.address
}

function presentListed(listed: ListedWallet) {
  const { address } = listed
  if (listed.type === 'needs_proof') {
    throw new HttpError(
      'wallet_invalid',
      `Another merchant of this service uses ${address}. Prove by a signature that it is yours.`,
    )
  }
  return { body: { address, is_outranked: listed.isOutranked }, subject: address }
}
