import type { Address } from '@payment-intents/contract'
import { movesMoney } from '@payment-intents/core'
import type { Rpc } from '@payment-intents/server/src/chain/rpc/rpc.ts'
import type { RpcTransfer } from '@payment-intents/server/src/chain/rpc/transferLogs.ts'
import type { Header } from '@payment-intents/server/src/store/chains/blocks.ts'
import type { Hex } from 'viem'
import type { Faults } from '../plan/faults.ts'
import { random } from '../plan/random.ts'
import { calldata } from './calldata.ts'
import type { Block, Branch, Chain, Log } from './chain.ts'

/** Every branch that a provider shows, up to the block that it takes for the head. */
export function viewsOf(chain: Chain, faults: Faults): Branch[] {
  const branches =
    faults.stale > 0 && chain.stale ? [chain.canonical, chain.stale] : [chain.canonical]
  return branches.map((branch) => branch.slice(0, Math.max(1, branch.length - faults.behind)))
}

/**
 * A provider of the simulated chain with these `faults`. Which calls fail depends on the seed, the
 * step, the call, and how often it was made; not on the order of the calls.
 */
export function createSimulatedRpc(options: {
  seed: number
  step: number
  /** In lower case; a chain without a look-alike has no transfers of it. */
  tokens: { usdc: Address; lookalike: Address }
  chain: Chain
  faults: Faults
  /** Records each returned receipt, as `<transaction>:<block>`. */
  receipts: Set<string>
}): Rpc {
  const { seed, step, chain, faults, tokens, receipts } = options
  const views = viewsOf(chain, faults)
  const stale = views.at(-1) ?? []
  const attempts = new Map<string, number>()

  function attempt<Result>(question: string, read: (view: Branch) => Result): Promise<Result> {
    const times = (attempts.get(question) ?? 0) + 1
    attempts.set(question, times)
    const dice = random(seed, 'rpc', step, question, times)
    if (dice.chance(faults.errors)) return Promise.reject(new Error('simulated: no response'))
    return Promise.resolve(read(dice.chance(faults.stale) ? stale : (views[0] ?? [])))
  }
  function perhaps<Result>(
    question: string,
    read: (view: Branch) => Result | null,
  ): Promise<Result | null> {
    const times = attempts.get(question) ?? 0
    const missing = random(seed, 'missing', step, question, times).chance(faults.missing)
    return attempt(question, (view) => (missing ? null : read(view)))
  }
  const toTransfer = (block: Block, log: Log): RpcTransfer & { token: Address } => ({
    blockNumber: block.number,
    blockHash: block.hash,
    txHash: log.transaction.hash,
    logIndex: log.logIndex,
    from: log.from,
    to: log.to,
    amount: log.amount,
    token: log.lookalike ? tokens.lookalike : tokens.usdc,
    // The follower does not request the log before it.
    authorizationNonce: null,
  })
  return {
    header: (number) =>
      number === 'latest'
        ? attempt('head', (view) => toHeader(view.at(-1)))
        : perhaps(`header ${number}`, (view) => toHeader(view[Number(number)])),
    // A node keeps the blocks of branches that it left.
    headerByHash: (hash) => perhaps(`header ${hash}`, () => toHeader(chain.blocks.get(hash))),
    transfers({ from, to, topics }) {
      const end = to === 'latest' ? undefined : Number(to) + 1
      return attempt(`transfers ${from} ${to}`, (view) =>
        view.slice(Number(from), end).flatMap((block) => {
          if (view.length - Number(block.number) <= faults.hidden) return []
          const transfers = block.logs
            .filter((log) => movesMoney(log) && isShown(log, topics))
            .map((log) => toTransfer(block, log))
          return faults.duplicates
            ? transfers.flatMap((transfer) => [transfer, { ...transfer }])
            : transfers
        }),
      )
    },
    blockTransfers: () => {
      throw new Error('unreachable: no block has too many logs here')
    },
    probeLogs: (block) => attempt(`probe ${block}`, () => undefined),
    transaction: (hash) =>
      perhaps(`transaction ${hash}`, (view) => {
        const block = find(view, hash)
        const transaction = block?.transactions.find((candidate) => candidate.hash === hash)
        if (!transaction) return null
        const { sender, to } = transaction
        return { sender, to, input: calldata(transaction), gas: 21_000n }
      }),
    receipt: (hash) =>
      perhaps(`receipt ${hash}`, (view) => {
        const block = find(view, hash)
        if (!block) return null
        receipts.add(`${hash}:${block.hash}`)
        return toReceipt(block, hash)
      }),
    largeReceipts: {
      stateOf: () => 'none',
      read: () => {
        throw new Error('unreachable: no receipt is large here')
      },
    },
  }

  function toReceipt(block: Block, hash: Hex) {
    const logs = block.logs.filter((log) => log.transaction.hash === hash && movesMoney(log))
    return {
      succeeded: true,
      blockHash: block.hash,
      transfers: logs.map((log) => ({
        ...toTransfer(block, log),
        authorizationNonce: log.nonce,
      })),
    }
  }
}

/** By its recipient, or by the nonce in the log before. */
function isShown({ to, nonce }: Log, topics: ReadonlySet<Hex>): boolean {
  return topics.has(to) || (nonce !== null && topics.has(nonce))
}

function find(view: Branch, hash: Hex): Block | undefined {
  return view.findLast((block) => block.transactions.some((candidate) => candidate.hash === hash))
}

function toHeader(block: Block | undefined): Header | null {
  if (!block) return null
  const { number, hash, parentHash, timestamp } = block
  return { number, hash, parentHash, timestamp }
}
