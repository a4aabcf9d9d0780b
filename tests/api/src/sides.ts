import type { PaymentIntent } from '@payment-intents/contract'
import { pollChain } from '@payment-intents/server/src/chain/pollChain.ts'
import { initialState } from '@payment-intents/server/src/chain/polling/followerState.ts'
import { createRpc } from '@payment-intents/server/src/chain/rpc/rpc.ts'
import { connect } from '@payment-intents/server/src/chain/rpc/rpcConnection.ts'
import { acquireLease } from '@payment-intents/server/src/store/chains/cursors.ts'
import { updateSettings } from '@payment-intents/server/src/store/merchants/settings.ts'
import type { ChainServer } from '@payment-intents/server/test/support/chain/chainServer.ts'
import { sendMined } from '@payment-intents/server/test/support/chain/sendMined.ts'
import { authorizedTransfer } from '@payment-intents/server/test/support/chain/signAuthorization.ts'
import { anotherServer } from '@payment-intents/server/test/support/database/fixtures.ts'
import {
  checkSignatureAt,
  readAt,
  type Signed,
  simulateAt,
} from '@payment-intents/server/test/support/server/authorizing.ts'
import {
  createTestMerchant,
  type Json,
} from '@payment-intents/server/test/support/server/testServer.ts'
import { createTestService } from '@payment-intents/testing/service'
import { getResponse } from 'msw'
import { allowReturnOrigin } from '../../support/allowReturnOrigin.ts'
import { until } from '../../support/until.ts'
import { shop } from './accounts.ts'

/** An address without earlier transfers. */
const wallet = '0x2222222222222222222222222222222222222222'

const support = 'help@shop.example'
/** The merchant has registered it. */
export const returnOrigin = 'https://return.example'
const guide = 'https://shop.example/usdc'

type Payment = {
  amount_units?: number
  confirmations?: number
  rail?: 'reference' | 'manual'
}

/** A service with one merchant, whose only wallet is on Base; and what can happen on its chain. */
export type Side = {
  readonly apiKey: string
  request(path: string, init?: RequestInit): Promise<Response>
  pay(intent: PaymentIntent, payment?: Payment): Promise<void>
  underpay(intent: PaymentIntent, missing_units?: number): Promise<void>
  payLate(intent: PaymentIntent): Promise<void>
  confirm(intent: PaymentIntent, blocks: number): Promise<void>
  reorg(intent: PaymentIntent): Promise<void>
  transfer(amount_units: number, to?: string): Promise<void>
  /** Submits what was handed in, in the next block. */
  submit(intent: PaymentIntent, signed: Signed): Promise<void>
  /** Submits what is handed in by x402, once it is. */
  relay(signed: Signed): Promise<void>
  advance(minutes: number): Promise<void>
  /** Submits what was signed for a refund, in the next block. */
  submitRefund(refund: Json, signed: Signed): Promise<void>
  confirmRefund(refund: Json, blocks: number): Promise<void>
  /** Makes a transfer of the merchant in a new block. @returns the transaction's hash */
  payOut(amount_units: number, to: string): Promise<string>
}

/** The merchant's settings. */
export type Settings = { readonly matchPlainPrice: boolean }

/** The test kit's handlers. */
export function startTestKit(settings: Settings): Side {
  const wallets = { base: wallet } as const
  const service = createTestService({
    ...{ ...settings, wallets, support, guide, merchantName: 'Test', gasless: true },
    ...{ refundWallets: [shop.address], returnOrigins: [returnOrigin] },
  })
  return {
    apiKey: service.apiKey,
    async request(path, init) {
      const request = new Request(service.baseUrl + path, init)
      const response = await getResponse(service.handlers, request)
      if (!response) throw new Error(`No handler took ${request.method} ${path}.`)
      return response
    },
    pay: async ({ id }, payment) => void service.pay(id, payment),
    underpay: async ({ id }, missing_units) =>
      void service.underpay(id, missing_units ? { missing_units } : {}),
    payLate: async ({ id }) => void service.payLate(id),
    confirm: async ({ id }, blocks) => void service.confirm(id, blocks),
    reorg: async ({ id }) => void service.reorg(id),
    transfer: async (amount_units, to) =>
      void service.transfer({ amount_units, ...(to ? { to: to as `0x${string}` } : {}) }),
    submit: async ({ id }) => void service.confirm(id, 1),
    // It has done so already.
    relay: async () => {},
    advance: async (minutes) => service.clock.advance(minutes),
    submitRefund: async ({ id }) => void service.confirmRefund(id, 1),
    confirmRefund: async ({ id }, blocks) => void service.confirmRefund(id, blocks),
    payOut: async (amount_units, to) =>
      service.payOut({ amount_units, to: to as `0x${string}`, from: shop.address }),
  }
}

/** This server over a real chain, each block of which is read before the next block is made. */
export async function resetServer(
  { chain, server: shared, reset }: ChainServer,
  settings: Settings,
): Promise<Side> {
  await reset()
  // A server that has not drawn amounts yet.
  const server = await anotherServer({
    db: shared.db,
    gasless: { isConfigured: () => true, isOffered: () => true },
    simulateTransfer: simulateAt(chain.url),
    readTransaction: readAt(chain),
    checkAccountSignature: checkSignatureAt(chain.url),
    readBalance: async () => BigInt(Number.MAX_SAFE_INTEGER),
  })
  const { id: merchantId, apiKey } = await createTestMerchant(server.db, { wallet, ...settings })
  await server.db.pool.query(
    'insert into refund_wallets (merchant_id, address) values ($1, lower($2))',
    [merchantId, shop.address],
  )
  await allowReturnOrigin(server.db, merchantId, returnOrigin)
  await updateSettings(server.db, merchantId, { support, guide })
  const rpc = createRpc(connect(chain.url), [chain.token])
  const lease = await acquireLease(server.db, chain.chainId)
  if (!lease) throw new Error('the lease is held')
  let state = initialState([])
  let submitted = 0

  /** In turn: requests at the same time each read on. */
  let polling = Promise.resolve()
  function read(): Promise<void> {
    polling = polling.then(async () => {
      const context = { db: server.db, rpc, lease: lease as never, now: Date.now }
      for (let isBehind = true; isBehind; ) {
        const polled = await pollChain(context, state)
        if ('state' in polled) state = polled.state
        isBehind = polled.type === 'catching_up'
      }
    })
    return polling
  }

  async function mine(blocks: number): Promise<void> {
    for (let mined = 0; mined < blocks; mined += 1) {
      await chain.mine()
      await read()
    }
  }

  async function send(to: string, amount: number, reference?: string): Promise<void> {
    const [, payer] = chain.accounts
    if (!payer) throw new Error('no account')
    await chain.pay({
      from: payer.address,
      to: to as `0x${string}`,
      amount: BigInt(amount),
      ...(reference ? { reference: reference as `0x${string}` } : {}),
    })
    await read()
  }

  async function get(path: string): Promise<Json> {
    const headers = { authorization: `Bearer ${apiKey}` }
    return (await server.request(path, { headers })).json()
  }

  const pay: Side['pay'] = async (intent, payment = {}) => {
    const { amount_received_units } = await get(`/v1/payment_intents/${intent.id}`)
    const fullAmount = payment.rail === 'manual' ? intent.payable_amount_units : intent.amount_units
    const missing = fullAmount - amount_received_units
    const paidAmount = missing > 0 ? missing : fullAmount
    const reference = payment.rail === 'manual' ? undefined : intent.payment_reference
    await send(intent.expected_wallet, payment.amount_units ?? paidAmount, reference)
    await mine((payment.confirmations ?? intent.confirmations_required) - 1)
  }

  async function submit({ authorization, signature }: Signed): Promise<void> {
    const data = authorizedTransfer(authorization, signature)
    // Each by another account, so that no two are one transaction.
    submitted += 1
    const from = chain.accounts[1 + submitted]?.address
    await sendMined(chain, { from, to: chain.token, data })
    await read()
  }

  return {
    apiKey,
    async request(path, init) {
      const response = await server.request(path, init)
      // Reading on finds that the accepted or assigned payment is deep already.
      if (/(accept|assign)$/.test(path)) await read()
      return response
    },
    pay,
    underpay: (intent, missing = Math.ceil(intent.amount_units / 2)) =>
      pay(intent, { amount_units: intent.amount_units - missing, confirmations: 1 }),
    async payLate(intent) {
      await chain.setNextBlockTime(Date.parse(intent.expires_at) / 1000 + 1)
      await mine(1)
      await pay(intent, { confirmations: 1 })
    },
    confirm: (_intent, blocks) => mine(blocks),
    async reorg(intent) {
      const { data } = await get(`/v1/transfers?payment_intent=${intent.id}`)
      const { block_number } = data.find(({ orphaned }: { orphaned: boolean }) => !orphaned)
      const head = await chain.rpc<string>('eth_blockNumber')
      await chain.reorg(Number(head) - block_number + 1)
      await read()
    },
    submit: (_intent, signed) => submit(signed),
    async relay(signed) {
      await until(async () => {
        const { rowCount } = await server.db.pool.query(
          "select from authorizations where status = 'in_flight' and nonce = $1",
          [signed.authorization.nonce],
        )
        if (rowCount === 0) throw new Error('nothing was handed in')
      })
      await submit(signed)
    },
    transfer: (amount_units, to = wallet) => send(to, amount_units),
    submitRefund: (_refund, signed) => submit(signed),
    confirmRefund: (_refund, blocks) => mine(blocks),
    async payOut(amount, to) {
      const { hash } = await chain.pay({
        ...{ from: shop.address, to: to as `0x${string}`, amount: BigInt(amount) },
      })
      await read()
      return hash
    },
    async advance(minutes) {
      await chain.increaseTime(minutes * 60)
      await mine(1)
    },
  }
}
