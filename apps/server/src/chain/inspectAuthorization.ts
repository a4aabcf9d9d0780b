import { chainFactsOf } from '@payment-intents/contract'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, size } from 'viem'
import { z } from 'zod'
import type { InspectAuthorization, Inspected } from '../intents/examineAuthorization.ts'
import { type Call, tokenCall } from '../relay/tokenCall.ts'
import type { Connection } from './connection.ts'
import type { Providers } from './providers.ts'
import { RpcError } from './rpcError.ts'

const abi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const bytes = z.string().regex(/^0x[0-9a-fA-F]*$/)
const block = z.object({ timestamp: z.string() })
/** A payer waits for the answer. */
const patienceMs = 4_000

/** Asks a provider of the chain that is ready. What it does wrong is for the follower to judge: payers cause it, too. */
export function createInspect(options: {
  providers: (chainId: number) => Pick<Providers, 'choose' | 'checkHealth' | 'connections'> | null
  log: { debug(fields: object, message: string): void }
}): InspectAuthorization {
  return async (chainId, signed) => {
    const providers = options.providers(chainId)
    if (!providers) return null
    try {
      return await before(patienceMs, ask(providers, chainId, signed))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const fields = { chain_id: chainId, reason: error.message }
      options.log.debug(fields, 'an authorization could not be checked')
      return null
    }
  }
}

async function ask(
  providers: Pick<Providers, 'choose' | 'checkHealth' | 'connections'>,
  ...inspected: Parameters<InspectAuthorization>
): Promise<Inspected> {
  // Where another process follows the chain, nobody else looks after those that have rested.
  if (!providers.choose()) await providers.checkHealth()
  const host = providers.choose()?.host
  const connection = providers.connections.find((one) => one.host === host)
  if (!connection) throw new RpcError('unavailable', 'No provider is ready.')
  return inspect(connection, ...inspected)
}

/** One JSON-RPC batch. */
async function inspect(
  connection: Connection,
  chainId: number,
  { authorization, signature }: Parameters<InspectAuthorization>[1],
): Promise<Inspected> {
  const { usdc: token } = chainFactsOf(chainId)
  const from = authorization.from as Address
  const to = authorization.to as Address
  const call = (data: Hex) => connection.ask('eth_call', [{ to: token, data }, 'latest'], word)
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
  const ofCode = tokenCall(signed, { hasCode: true })
  // Of another length it is no account's without code.
  const ofKey = size(signature) === 65 ? tokenCall(signed, { hasCode: false }) : null
  // Which of the two will be submitted is answered in the same batch.
  const [code, balance, isPaused, isPayerBlocked, isRecipientBlocked, isUsed, ...isTaken] =
    await Promise.all([
      connection.ask('eth_getCode', [from, 'latest'], bytes),
      call(encodeFunctionData({ abi, functionName: 'balanceOf', args: [from] })),
      flag(encodeFunctionData({ abi, functionName: 'paused' })),
      isBlocked(from),
      isBlocked(to),
      flag(encodeFunctionData({ abi, functionName: 'authorizationState', args })),
      isTakenBy(connection, ofCode),
      ofKey ? isTakenBy(connection, ofKey) : false,
    ])
  const hasCode = code !== '0x'
  const transfer = hasCode ? ofCode : ofKey
  const isTakenNow = isTaken[hasCode ? 0 : 1]
  return {
    ...{ hasCode, isPaused, isPayerBlocked, isRecipientBlocked, isUsed },
    balance: BigInt(balance),
    // A client that chose when its authorization begins may be ahead of a chain that rests.
    isTaken:
      isTakenNow ||
      (transfer !== null && (await isTakenNext(connection, transfer, authorization.validAfter))),
  }
}

async function isTakenNext(connection: Connection, call: Call, validAfter: string) {
  if (validAfter === '0') return false
  const { timestamp } = await connection.ask('eth_getBlockByNumber', ['latest', false], block)
  return BigInt(timestamp) <= BigInt(validAfter) && (await isTakenBy(connection, call, 'pending'))
}

async function isTakenBy({ ask }: Connection, call: Call, at = 'latest'): Promise<boolean> {
  const { to, data, gas } = call
  try {
    await ask('eth_call', [{ to, data, gas: numberToHex(gas) }, at], bytes)
    return true
  } catch (error) {
    if (error instanceof RpcError && error.fault === 'reverted') return false
    throw error
  }
}

async function before<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RpcError('timeout', 'no answer in time')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
