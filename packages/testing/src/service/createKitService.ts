import { chainFactsOf } from '@payment-intents/contract'
import { previewAuthorization, type Service } from '@payment-intents/core'
import { type Authorizations, createAuthorizations } from './authorizations.ts'
import type { Merchant } from './merchant.ts'
import { createStore } from './store/memoryStore.ts'
import { createRecords, type Records } from './store/records.ts'
import { createChain, type VirtualChain } from './virtualChain.ts'
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts'

/** The service's handlers over a store in memory and chains that a test advances. */
export type KitService = Service & {
  readonly records: Records
  readonly authorizations: Authorizations
  readonly chain: VirtualChain
  readonly webhooks: Webhooks
  /** The id of the intent or refund that a secret opens; null: none. */
  readonly findBySecret: (kind: 'client' | 'x402' | 'refund', secret: string) => string | null
}

const enoughUnits = 2n ** 200n
/** The name of the key that secrets are derived with. */
const key = 'test'

export function createKitService(
  initial: Merchant,
  options: { readonly startsAt: number; readonly baseUrl: string; readonly isGasless: boolean },
): KitService {
  const { startsAt, baseUrl, isGasless } = options
  const records = createRecords(initial, startsAt)
  const { ids, clock, merchant } = records
  const secrets = createSecrets()
  const authorizations = createAuthorizations(records)
  const chain = createChain(records, authorizations)
  const webhookSecret = (id: string, version: number) =>
    secrets.of('webhook', `${id} ${version}`, ids.webhookSecret)
  const webhooks = createWebhooks(records, webhookSecret)
  const time = () => ({ now: clock.now, earliest: clock.now })
  const service: Omit<Service, 'previewAuthorization'> = {
    store: createStore(records, { authorizations, chain, refunds: chain.refunds, webhooks }),
    secrets: {
      currentKey: () => key,
      clientSecret: (id) => secrets.of('client', id, () => ids.clientSecret(id)),
      x402Token: (id) => secrets.of('x402', id, () => ids.x402Token(id)),
      webhookSecret,
      refundToken: (id) => secrets.of('refund', id, () => ids.refundToken(id)),
      newHandoffToken() {
        const token = ids.handoffToken()
        return { token, hash: token }
      },
    },
    publicUrl: baseUrl,
    now: () => clock.now,
    clock: time,
    newId: ids.next,
    randomSalt: ids.hash,
    confirmations: () => merchant.serverConfirmations,
    network(chainId) {
      const { name, nativeSymbol, publicRpcUrl: rpcUrl, explorerUrl } = chainFactsOf(chainId)
      return { name, nativeSymbol, rpcUrl, explorerUrl }
    },
    gasless: { isConfigured: () => isGasless, isOffered: () => isGasless },
    // Every account has enough USDC, and no code.
    simulateTransfer: async (chainId, { authorization: { from, nonce } }) => ({
      ...{ codeHash: null, balance: enoughUnits, simulated: 'passed' as const },
      ...{ isPaused: false, isPayerBlocked: false, isRecipientBlocked: false },
      nonceUsed: authorizations.isUsed({ chainId, from, nonce } as never),
    }),
    readTransaction: (_chainId, txHash) => chain.refunds.readTransaction(txHash),
    readBalance: async () => BigInt(Number.MAX_SAFE_INTEGER),
    // No account here has code.
    checkAccountSignature: async () => false,
    refuseWebhookHost: () => null,
    allowsPlainWebhook: () => false,
  }
  return {
    ...service,
    ...{ records, authorizations, chain, webhooks, findBySecret: secrets.find },
    previewAuthorization: (submission) =>
      previewAuthorization(service, submission, async (authorization) => () => {
        return authorizations.findConflicting(authorization)
      }),
  }
}

type SecretKind = 'client' | 'x402' | 'refund' | 'webhook'

/** Random secrets, the same for each object. */
function createSecrets() {
  const secrets = new Map<string, string>()
  const owners = new Map<string, string>()
  return {
    of(kind: SecretKind, owner: string, create: () => string): string {
      const name = `${kind} ${owner}`
      const secret = secrets.get(name) ?? create()
      secrets.set(name, secret)
      owners.set(`${kind} ${secret}`, owner)
      return secret
    },
    find: (kind: SecretKind, secret: string) => owners.get(`${kind} ${secret}`) ?? null,
  }
}
