import type { DevChain } from '@payment-intents/testing'
import { expect } from 'vitest'
import type { Db } from '../../../src/store/connection/connect.ts'

type Hex = `0x${string}`
type Mined = { hash: Hex; from: Hex; to: Hex | null; input: Hex; blockNumber: Hex }
type Receipt = { status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }

/** keccak256('AuthorizationUsed(address,bytes32)') */
const usedTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** The effects of a relayer's transactions on the chain. */
export type Relayed = {
  readonly successes: number
  readonly reverts: number
  readonly empty: number
  /** The number of authorizations that were used, by any submitter. */
  readonly used: number
}

/**
 * Checks the guarantee of the relayer against the chain: every transaction of its key was recorded, none moved the
 * money of an authorization twice, and the gas costs of the key are as recorded, including reverts.
 * @param options.balance before the first of the transactions, in wei
 * @param options.others transactions of the key that somebody else sent
 */
export async function checkRelayed(
  { chain, db }: { chain: DevChain; db: Db },
  options: { relayer: string; balance: bigint; from: number; others?: readonly string[] },
): Promise<Relayed> {
  const { relayer, balance, from, others = [] } = options
  const head = Number(await chain.rpc<Hex>('eth_blockNumber'))
  const numbers = Array.from({ length: head - from }, (_, index) => from + 1 + index)
  const blocks = await Promise.all(
    numbers.map((number) =>
      chain.rpc<{ transactions: Mined[] }>('eth_getBlockByNumber', [hex(number), true]),
    ),
  )
  const sent = blocks
    .flatMap(({ transactions }) => transactions)
    .filter((block) => block.from === relayer)
  const receipts = await Promise.all(
    sent.map(({ hash }) => chain.rpc<Receipt>('eth_getTransactionReceipt', [hash])),
  )
  const { rows } = await db.pool.query(
    `select t.tx_hash, t.authorization_id, t.state, t.succeeded, t.cost, a.nonce
     from relayer_transactions t left join authorizations a on a.id = t.authorization_id`,
  )
  const recorded = new Map(rows.map((row) => [row.tx_hash, row]))
  const successesOf = new Map<string, number>()
  const counts = { successes: 0, reverts: 0, empty: 0 }
  let paid = 0n
  for (const [index, { hash }] of sent.entries()) {
    const receipt = receipts[index] ?? expect.fail('no receipt')
    const cost = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    paid += cost
    if (others.includes(hash)) continue
    const row = recorded.get(hash) ?? expect.fail(`${hash} was sent and never recorded`)
    const succeeded = receipt.status === '0x1'
    expect(['mined', 'final'], `${hash} is mined and ${row.state}`).toContain(row.state)
    expect({ hash, succeeded: row.succeeded, cost: row.cost }).toEqual({ hash, succeeded, cost })
    if (row.authorization_id === null) counts.empty += 1
    else if (!succeeded) counts.reverts += 1
    else {
      counts.successes += 1
      successesOf.set(row.authorization_id, (successesOf.get(row.authorization_id) ?? 0) + 1)
    }
  }
  expect([...successesOf.values()].every((count) => count === 1)).toBe(true)
  expect(balance - BigInt(await chain.rpc<Hex>('eth_getBalance', [relayer, 'latest']))).toBe(paid)
  const logs = await chain.rpc<{ topics: Hex[] }[]>('eth_getLogs', [
    { address: chain.token, fromBlock: hex(from + 1), toBlock: 'latest', topics: [usedTopic] },
  ])
  const used = logs.map(({ topics }) => topics[2])
  expect(new Set(used).size, 'the token takes each once').toBe(used.length)
  const minedRows = rows.filter(({ succeeded }) => succeeded !== null)
  expect(minedRows.every(({ tx_hash }) => sent.some(({ hash }) => hash === tx_hash))).toBe(true)
  return { ...counts, used: used.length }
}

function hex(number: number): Hex {
  return `0x${number.toString(16)}`
}
