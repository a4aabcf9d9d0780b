import type { Address } from '@payment-intents/contract'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import type { ReorgKind } from './plan.ts'
import type { ChainLog, ChainRecord, PaymentRecord } from './trialRecord.ts'

export type Hex = `0x${string}`

type Payment = PaymentRecord & {
  readonly from: Address
  readonly to: Address
  readonly reference: Hex | null
}

/** An anvil with a block each second that records what its reorgs took back. */
export type TrialChain = {
  readonly url: string
  readonly payers: readonly Address[]
  readonly payments: readonly Payment[]
  /** Resolves when it is sent. */
  pay(payment: Payment): Promise<void>
  mine(blocks: number): Promise<void>
  head(): Promise<number>
  /**
   * Replaces the last blocks, so many or those since the newest payment; what was in them is gone, mined again, or
   * replaced by other transfers.
   */
  reorg(depth: number, kind: ReorgKind): Promise<void>
  /** Payments that the chain has taken back, and that were not sent again. */
  takeDropped(): Payment[]
  /** Reads the transfers to these wallets. */
  read(wallets: readonly Address[]): Promise<ChainRecord>
  stop(): Promise<void>
}

type Transaction = {
  readonly hash: Hex
  readonly from: Address
  readonly to: Address
  readonly input: Hex
  readonly nonce: Hex
  readonly gas: Hex
  readonly maxFeePerGas: Hex
  readonly maxPriorityFeePerGas: Hex
}
type Log = { transactionHash: Hex; logIndex: Hex; blockNumber: Hex; topics: Hex[]; data: Hex }

const blockMs = 1_000
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Amounts that no intent requests begin here. */
const strayUnits = 1_000_000_000n

export async function startTrialChain(): Promise<TrialChain> {
  const chain = await startDevChain({ blockTime: 0 })
  const { rpc } = chain
  await chain.mine(10)
  await rpc('evm_setAutomine', [false])
  const payments: Payment[] = []
  const sent = new Map<Hex, Payment>()
  let dropped: Payment[] = []
  const inclusions: ChainRecord['inclusions'][number][] = []

  // A payment sent during a reorg would wait for a nonce that is gone.
  let last: Promise<unknown> = Promise.resolve()
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  const miner = setInterval(() => void alone(() => mine()).catch(() => {}), blockMs)

  /** By the machine's clock: after a reorg, anvil's own would be late for good. */
  async function mine(blocks = 1): Promise<void> {
    const { timestamp } = await rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    await chain.setNextBlockTime(Math.max(Math.floor(Date.now() / 1_000), Number(timestamp) + 1))
    await chain.mine(blocks)
  }

  async function send(payment: Payment): Promise<void> {
    const { from, to, amount, reference } = payment
    payments.push(payment)
    const { hash } = await chain.pay({ from, to, amount, ...(reference ? { reference } : {}) })
    sent.set(hash, payment)
  }

  /** The block of the payment that was sent last and is in the chain; the head without any. */
  async function newestPaid(head: number): Promise<number> {
    for (const hash of [...sent.keys()].reverse()) {
      const receipt = await rpc<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', [hash])
      if (receipt) return Number(receipt.blockNumber)
    }
    return head
  }

  async function resend(transaction: Transaction): Promise<void> {
    const { hash: before, input: data, from, to, nonce, gas } = transaction
    const { maxFeePerGas, maxPriorityFeePerGas } = transaction
    const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
    const hash = await rpc<Hex>('eth_sendTransaction', [{ from, to, data, nonce, ...fees }])
    const payment = sent.get(before)
    if (payment) sent.set(hash, payment)
  }

  return {
    ...{ url: chain.url, payments },
    payers: chain.accounts.slice(1, 7).map(({ address }) => address),
    pay: (payment) => alone(() => send(payment)),
    mine: (blocks) => alone(() => mine(blocks)),
    head: () => headOf(chain),
    reorg: (depth, kind) =>
      alone(async () => {
        await mine()
        const head = await headOf(chain)
        const from = Math.min(head - depth + 1, await newestPaid(head))
        const taken: Transaction[] = []
        for (let block = from; block <= head; block += 1) {
          const { transactions } = await rpc<{ transactions: Transaction[] }>(
            'eth_getBlockByNumber',
            [hex(block), true],
          )
          for (const { hash } of transactions)
            inclusions.push({ txHash: hash, block, deepestHead: head })
          taken.push(...transactions)
        }
        await chain.reorg(head - from + 1)
        for (const transaction of taken) {
          const payment = sent.get(transaction.hash)
          if (!payment) continue
          if (kind === 'mined_again') await resend(transaction)
          else dropped.push(payment)
          if (kind === 'replaced') {
            const amount = strayUnits + 7n * BigInt(payments.length)
            await send({ ...payment, amount, reference: null, intentId: null })
          }
        }
        await mine()
      }),
    takeDropped() {
      const taken = dropped
      dropped = []
      return taken
    },
    read: (wallets) =>
      alone(async () => {
        const head = await headOf(chain)
        const topics = [transferTopic, null, wallets.map((wallet) => `0x${word(wallet)}`)]
        const filter = { address: chain.token, topics, fromBlock: '0x0', toBlock: hex(head) }
        const logs = await rpc<Log[]>('eth_getLogs', [filter])
        const read = await Promise.all(logs.map(readLog))
        const now = read.map(({ txHash, blockNumber }) => {
          return { txHash, block: blockNumber, deepestHead: head }
        })
        return { head, logs: read, inclusions: [...inclusions, ...now] }
      }),
    async stop() {
      clearInterval(miner)
      await last
      await chain.stop()
    },
  }

  async function readLog(log: Log): Promise<ChainLog> {
    const { transactionHash: txHash, logIndex, blockNumber, topics, data } = log
    const { input } = await rpc<Transaction>('eth_getTransactionByHash', [txHash])
    // Behind the selector and two words.
    const appended = input.slice(2 + 8 + 128)
    return {
      txHash,
      logIndex: Number(logIndex),
      blockNumber: Number(blockNumber),
      from: `0x${topics[1]?.slice(26)}`,
      to: `0x${topics[2]?.slice(26)}`,
      amount: BigInt(data),
      reference: appended === '' ? null : `0x${appended}`,
    }
  }
}

/** The amount of a payment that no intent requests. */
export function strayAmount(number: number): bigint {
  return strayUnits + 1_000_000_000n + 1_000n * BigInt(number)
}

async function headOf({ rpc }: DevChain): Promise<number> {
  return Number(await rpc('eth_blockNumber'))
}

function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}

function hex(number: number): Hex {
  return `0x${number.toString(16)}`
}
