import { chainFactsOf, type TransferAuthorization } from '@payment-intents/contract'
import type { SimulateTransfer, Simulation } from '@payment-intents/core'
import {
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  size,
} from 'viem'
import { z } from 'zod'
import type { Providers } from '../../chain/providers/providers.ts'
import type { Connection } from '../../chain/rpc/rpcConnection.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import { type Call, tokenCall } from './tokenCall.ts'

const abi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const bytes = z.string().regex(/^0x[0-9a-fA-F]*$/)
const block = z.object({ timestamp: z.string() })
/** The timeout of a simulation: a payer waits for its result, and other payers wait for the relayer's cycle. */
export const simulationMs = 4_000

/** Creates a simulation over ready providers. Failures do not count against a provider, since payers can cause them. */
export function createSimulate(options: {
  providers: (chainId: number) => Pick<Providers, 'choose' | 'checkHealth' | 'connections'> | null
  log: { debug(fields: object, message: string): void }
}): SimulateTransfer {
  return async (chainId, signed) => {
    const providers = options.providers(chainId)
    if (!providers) return null
    try {
      const simulated = chooseConnection(providers).then((connection) =>
        simulateAuthorization(connection, chainId, signed),
      )
      return await within(simulationMs, simulated)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const fields = { chain_id: chainId, reason: error.message }
      options.log.debug(fields, 'an authorization could not be simulated')
      return null
    }
  }
}

async function chooseConnection(
  providers: Pick<Providers, 'choose' | 'checkHealth' | 'connections'>,
): Promise<Connection> {
  // If another process follows the chain, nothing else in this process checks providers after their backoff.
  if (!providers.choose()) await providers.checkHealth()
  const host = providers.choose()?.host
  const connection = providers.connections.find((connection) => connection.host === host)
  if (!connection) throw new RpcError('unavailable', 'No provider is ready.')
  return connection
}

/**
 * Reads the account and the token, and simulates the relayer's call, in one JSON-RPC batch.
 *
 * @throws {RpcError}
 */
export async function simulateAuthorization(
  connection: Pick<Connection, 'request'>,
  chainId: number,
  { authorization, signature }: { authorization: TransferAuthorization; signature: Hex },
): Promise<Simulation> {
  const { usdc: token } = chainFactsOf(chainId)
  const from = authorization.from as Address
  const to = authorization.to as Address
  const call = (data: Hex) => connection.request('eth_call', [{ to: token, data }, 'latest'], word)
  const flag = async (data: Hex) => BigInt(await call(data)) !== 0n
  const isBlocked = (account: Address) =>
    flag(encodeFunctionData({ abi, functionName: 'isBlacklisted', args: [account] }))
  const args = [from, authorization.nonce as Hex] as const
  const signed = {
    ...{ token, authorizer: from, recipient: to, nonce: authorization.nonce as Hex, signature },
    amount: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
  }
  const codeCall = tokenCall(signed, { hasCode: true })
  // The signature of a private key always has 65 bytes here.
  const keyCall = size(signature) === 65 ? tokenCall(signed, { hasCode: false }) : null
  // The account's code in the same batch decides which of the two calls applies.
  const [code, balance, isPaused, isPayerBlocked, isRecipientBlocked, nonceUsed, byCode, byKey] =
    await Promise.all([
      connection.request('eth_getCode', [from, 'latest'], bytes),
      call(encodeFunctionData({ abi, functionName: 'balanceOf', args: [from] })),
      flag(encodeFunctionData({ abi, functionName: 'paused' })),
      isBlocked(from),
      isBlocked(to),
      flag(encodeFunctionData({ abi, functionName: 'authorizationState', args })),
      simulate(connection, codeCall),
      keyCall ? simulate(connection, keyCall) : ('reverted' as const),
    ])
  const hasCode = code !== '0x'
  const transfer = hasCode ? codeCall : keyCall
  const simulated = hasCode ? byCode : byKey
  return {
    ...{ isPaused, isPayerBlocked, isRecipientBlocked, nonceUsed },
    codeHash: hasCode ? keccak256(code as Hex) : null,
    balance: BigInt(balance),
    simulated:
      simulated !== 'passed' && transfer !== null
        ? await simulateNext(connection, transfer, { simulated, authorization })
        : simulated,
  }
}

/**
 * Simulates a failed call again in the next block, if the newest block is too old for `validAfter`: a chain may mine no
 * blocks for a while.
 */
async function simulateNext(
  connection: Pick<Connection, 'request'>,
  call: Call,
  latest: Pick<Simulation, 'simulated'> & { authorization: TransferAuthorization },
): Promise<Simulation['simulated']> {
  const {
    simulated,
    authorization: { validAfter },
  } = latest
  if (validAfter === '0') return simulated
  const { timestamp } = await connection.request('eth_getBlockByNumber', ['latest', false], block)
  if (BigInt(timestamp) > BigInt(validAfter)) return simulated
  return simulate(connection, call, 'pending')
}

/** Simulates the call. Does not throw if the node fails: the other reads of the batch do. */
async function simulate(
  { request }: Pick<Connection, 'request'>,
  { to, data, gas }: Call,
  at = 'latest',
): Promise<Simulation['simulated']> {
  try {
    await request('eth_call', [{ to, data, gas: numberToHex(gas) }, at], bytes)
    return 'passed'
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return error.fault === 'reverted' ? 'reverted' : 'unknown'
  }
}

/** @throws {RpcError} `timeout` if the work takes longer */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RpcError('timeout', 'no response in time')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
