import type { Address, Refund as RefundResponse } from '@payment-intents/contract'
import {
  type Actor,
  HttpError,
  handlers,
  type ObservedTransfer,
  type Service,
  type ServiceRequest,
} from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { newId } from '@payment-intents/server/src/store/lists/ids.ts'
import { createRefundStore } from '@payment-intents/server/src/store/refunds/refundStore.ts'
import type { Hex } from 'viem'
import { type Actors, merchantOf } from './plan/actors.ts'
import { randomHash } from './plan/random.ts'

/** The fields of a response that the simulation reads. */
type Refunded = Pick<
  RefundResponse,
  'id' | 'status' | 'amount_units' | 'confirmations_required'
> & { readonly refund_reference: Hex }

type Body<Name extends keyof typeof handlers> = ServiceRequest<Name>['body']

/** Sends a merchant's request. @returns the refund; null if the request is refused */
export async function requestAsMerchant<
  Name extends
    | 'createRefund'
    | 'authorizeRefund'
    | 'cancelRefund'
    | 'updateRefund'
    | 'confirmRefund'
    | 'attachRefund',
>(
  db: Db,
  actors: Actors,
  name: Name,
  { wallet, id, body }: { wallet: number; id: string; body: unknown },
): Promise<Refunded | null> {
  const { mode } = actors.plan.network
  const actor: Actor = { merchantId: merchantOf(wallet), mode }
  const source = { value: {}, textOf: () => undefined }
  const serviceRequest = {
    ...{ actor, id, body: body as Body<Name>, query: undefined, source, metadataFilter: [] },
    ...{ merchant: null as never, header: () => null },
  } as unknown as ServiceRequest<Name>
  const handle = handlers[name] as (
    service: Service,
    request: ServiceRequest<Name>,
  ) => Promise<{ body: string }>
  const service = refundService(db, actors, `${wallet} ${JSON.stringify(body)}`)
  const response = await unlessRefused(() => handle(service, serviceRequest))
  return response && JSON.parse(response.body)
}

/** @returns null if the service refuses the request */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof HttpError && error.code !== 'internal_error') return null
    throw error
  }
}

/**
 * The service as far as its handlers of refunds use it.
 *
 * @param name names the request; its salts derive from it
 */
export function refundService(db: Db, { plan, knowledge }: Actors, name: string): Service {
  const { chain } = knowledge
  const clock = () => ({ now: chain.head.timestamp * 1_000, earliest: 0 })
  const confirmations = () => ({})
  let salts = 0
  const isUsed = (from: string, nonce: string) =>
    chain.canonical.some(({ logs }) => logs.some((log) => log.nonce === nonce && log.from === from))
  const service: Partial<Service> = {
    store: { refunds: createRefundStore({ db, clock, confirmations }) } as never,
    ...{ clock, newId, now: () => clock().now, publicUrl: 'https://pay.example' },
    secrets: { refundToken: (id) => `${id}_link_` } as Service['secrets'],
    network: () => undefined,
    randomSalt() {
      salts += 1
      return randomHash(plan.seed, 'refund salt', name, salts)
    },
    gasless: { isConfigured: () => true, isOffered: () => true },
    simulateTransfer: async (_chainId, { authorization: { from, nonce } }) => ({
      ...{ codeHash: '0x01', simulated: 'passed', nonceUsed: isUsed(from, nonce) },
      ...{ isPaused: false, isPayerBlocked: false, isRecipientBlocked: false },
      balance: 2n ** 200n,
    }),
    readTransaction: async (_chainId, txHash) => {
      const block = chain.canonical.findLast(({ transactions }) =>
        transactions.some(({ hash }) => hash === txHash),
      )
      if (!block) return 'unknown'
      const logs = block.logs.filter(({ transaction }) => transaction.hash === txHash)
      return logs.map(({ transaction, nonce, lookalike: _, ...log }): ObservedTransfer => {
        const token = plan.network.usdc.toLowerCase() as Address
        const place = { txHash, blockNumber: block.number, blockHash: block.hash }
        return {
          ...log,
          ...place,
          token,
          blockTimestamp: block.timestamp,
          authorizationNonce: nonce,
        }
      })
    },
  }
  return service as Service
}
