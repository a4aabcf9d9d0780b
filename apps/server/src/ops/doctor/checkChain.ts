import { randomBytes } from 'node:crypto'
import { checkProvider } from '../../chain/providers/checkProvider.ts'
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts'
import { connect } from '../../chain/rpc/rpcConnection.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import { type ChainConfig, rpcVariable } from '../../config/readChainConfig.ts'
import { checkClock } from './checkClock.ts'
import { checkMs, type Finding, fail, ok, warn } from './finding.ts'

/** Checks each provider of a chain: its chain and token, its head against this machine's clock, and its log queries. */
export async function checkChain(config: ChainConfig): Promise<Finding[]> {
  const checks = await Promise.all(config.rpcUrls.map((url) => checkUrl(config, url)))
  const hosts = new Set(config.rpcUrls.map((url) => new URL(url).host))
  if (hosts.size > 1 || config.facts.mode === 'testnet') return checks.flat()
  const singleProvider = warn(
    `rpc ${config.facts.name}`,
    `${config.facts.name} has one provider host: nothing verifies its responses`,
    `add a URL of another host to ${rpcVariable(config.facts)}: a payment then succeeds only when both agree`,
  )
  return [...checks.flat(), singleProvider]
}

async function checkUrl({ facts, development }: ChainConfig, url: string): Promise<Finding[]> {
  const connection = connect(url, { timeoutMs: checkMs })
  const check = `rpc ${facts.name}`
  const variable = rpcVariable(facts)
  const { host } = connection
  try {
    const checked = await checkProvider(connection, facts)
    if (checked.type === 'refused') {
      return [fail(check, `${host} ${checked.reason}`, `correct ${variable}`)]
    }
    const rpc = createRpc(connection, [facts.usdc])
    const head = await rpc.header('latest')
    if (!head)
      return [fail(check, `${host} returns no latest block`, `use another URL in ${variable}`)]
    return [
      ok(check, `${host} is on chain ${facts.chainId}, with USDC at ${facts.usdc}`),
      await checkRange(rpc, { check, host, variable, head: head.number }),
      ...(development ? [] : [checkClock(facts.name, host, head.timestamp * 1_000 - Date.now())]),
    ]
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const todo = `start the provider, correct its key, or use another URL in ${variable}`
    return [fail(check, error.message, todo)]
  } finally {
    connection.close()
  }
}

const ranges = [10_000, 2_000, 500, 100, 10]
/** With fewer blocks per query, a server that was down for a day takes hours to catch up. */
const minimumRange = 100

async function checkRange(
  rpc: Rpc,
  { check, host, variable, head }: { check: string; host: string; variable: string; head: bigint },
): Promise<Finding> {
  const topics = new Set([`0x${randomBytes(20).toString('hex')}` as const])
  let reason = ''
  for (const blocks of ranges) {
    const from = head - BigInt(blocks) + 1n
    try {
      await rpc.transfers({ from: from > 0n ? from : 0n, to: head, topics })
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      reason = error.message
      continue
    }
    // A new chain may have fewer blocks than the range.
    const reach = from > 0n ? blocks : Number(head) + 1
    const summary = `${host} serves log queries over ${reach} blocks`
    if (blocks >= minimumRange) return ok(check, summary)
    return warn(
      check,
      summary,
      `catching up after a stop is slow; use another plan or URL in ${variable}`,
    )
  }
  const summary = `${host} serves no log query (${reason})`
  return fail(
    check,
    summary,
    `the server would see no payment; use another plan or URL in ${variable}`,
  )
}
