import type { TransferAuthorization } from '@payment-intents/contract'
import type {
  CheckAccountSignature,
  ReadTransaction,
  SimulateTransfer,
} from '@payment-intents/core'
import type { DevAccount, DevChain } from '@payment-intents/testing'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeEach } from 'vitest'
import { createCheckAccountSignature } from '../../../src/chain/reads/checkAccountSignature.ts'
import { createReadTransaction } from '../../../src/chain/reads/readTransaction.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { connect } from '../../../src/chain/rpc/rpcConnection.ts'
import { createSimulate } from '../../../src/relayer/rpc/simulateAuthorization.ts'
import { type Reader, readerOfTest } from '../chain/readerOfTest.ts'
import { sendMined } from '../chain/sendMined.ts'
import { authorizedTransfer, messageOf, sign } from '../chain/signAuthorization.ts'
import { type Json, post } from './testServer.ts'

export type Signed = { authorization: TransferAuthorization; signature: Hex }

export type Authorizing = {
  readonly reader: Reader
  readonly chain: DevChain
  /** The configuration of the server, which a test may change. */
  readonly server: { isOffered: boolean; simulate: SimulateTransfer }
  /** Plain accounts with test USDC. */
  readonly payer: DevAccount
  readonly other: DevAccount
  /** Signs the offer of resolve for an intent, perhaps with changes. */
  signed(intent: Json, by?: DevAccount, more?: Partial<TransferAuthorization>): Promise<Signed>
  submitAuthorization(
    intent: Json,
    body: object,
  ): Promise<{ status: number; headers: Headers; body: Json }>
  /**
   * Submits an authorization to the chain from anybody's account, always by the same transaction, or from another
   * account.
   * @returns the transaction's hash
   */
  submit(signed: Signed, by?: DevAccount): Promise<Hex>
  /** Creates an account with this many units of USDC. */
  funded(amount: number): Promise<DevAccount>
  /** Calls the token as its owner. */
  callToken(call: TokenCall): Promise<void>
}

const abi = parseAbi([
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function transfer(address to, uint256 amount)',
])
type ChainOptions = NonNullable<Parameters<typeof readerOfTest>[0]>
type TokenCall =
  | { functionName: 'pause' | 'unpause'; args?: [] }
  | { functionName: 'blacklist'; args: [Hex] }

/** A server that accepts authorizations, and whose chain is read when a test reads it. */
export function authorizingOfTest(
  options: Pick<ChainOptions, 'prepare' | 'trustProxy' | 'dashboard'> = {},
): Authorizing {
  const server = { isOffered: true, simulate: (async () => null) as SimulateTransfer }
  const { reader, chain } = readerOfTest({
    ...options,
    gasless: { isConfigured: () => true, isOffered: () => server.isOffered },
    simulateTransfer: (...requested) => server.simulate(...requested),
    readTransaction: (chainId, txHash) => readAt(chain)(chainId, txHash),
    checkAccountSignature: (signed) => checkSignatureAt(chain.url)(signed),
  })
  beforeEach(() => {
    server.isOffered = true
    server.simulate = simulateAt(chain.url)
  })
  const account = (index: number) => chain.accounts[index] as DevAccount
  // With fixed fees, it is the same transaction when it is sent again after a reorg.
  const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x1', gas: '0x7a120' }
  const send = (from: string, data: Hex) =>
    sendMined(chain, { from, to: chain.token, data, ...fees })
  const resolved = (intent: Json) => reader.resolved(intent)
  return {
    ...{ reader, chain, server },
    get payer() {
      return account(1)
    },
    get other() {
      return account(2)
    },
    async signed(intent, by = account(1), more = {}) {
      const authorization = messageOf(await resolved(intent), by, more)
      return { authorization, signature: await sign(chain, by, authorization) }
    },
    async submitAuthorization({ client_secret }, body) {
      const path = '/v1/payment_intents/authorize'
      const response = await post(reader.server, path, { client_secret, ...body })
      return { status: response.status, headers: response.headers, body: await response.json() }
    },
    submit: ({ authorization, signature }, by = account(3)) =>
      send(by.address, authorizedTransfer(authorization, signature)),
    async funded(amount) {
      const privateKey = generatePrivateKey()
      const address = privateKeyToAddress(privateKey)
      await chain.pay({ from: account(4).address, to: address, amount: BigInt(amount) })
      return { address, privateKey }
    },
    async callToken(call) {
      await send(account(0).address, encodeFunctionData({ abi, ...call } as never))
    },
  }
}

/** Creates a function that reads transactions of a chain. */
export function readAt({ url, token }: DevChain): ReadTransaction {
  const rpc = createRpc(connect(url), [token])
  const providers = { choose: () => ({ rpc }), checkHealth: async () => {} }
  return createReadTransaction({ providers: () => providers as never, log: { debug() {} } })
}

/** Creates a function that simulates transfers at the node with this URL. */
export function simulateAt(url: string): SimulateTransfer {
  return createSimulate({ providers: () => providerAt(url), log: { debug() {} } })
}

export function checkSignatureAt(url: string): CheckAccountSignature {
  return createCheckAccountSignature({ providers: () => providerAt(url), log: { debug() {} } })
}

function providerAt(url: string): never {
  const connection = connect(url)
  const choose = () => ({ host: connection.host })
  return { choose, checkHealth: async () => {}, connections: [connection] } as never
}
