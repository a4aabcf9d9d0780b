import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Address, createPublicClient, http } from 'viem'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listenLocally } from '../../../tests/support/listenLocally.ts'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { startProcess } from '../../../tests/support/startProcess.ts'
import { until } from '../../../tests/support/until.ts'
import { anvilPath } from '../src/devChain/anvilPath.ts'
import { freePort, isFree } from '../src/devChain/freePort.ts'
import { type DevChain, startDevChain } from '../src/devChain/startDevChain.ts'
import { account, tokenBalance } from './testSupport.ts'

const shop: Address = '0x3333333333333333333333333333333333333333'

let folder: string
let statePath: string
const started: { stop(): Promise<void> }[] = []
beforeEach(() => {
  folder = newFolder()
  statePath = join(folder, 'data', 'chain.json')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((chain) => chain.stop()))
})

async function start(options: Parameters<typeof startDevChain>[0]): Promise<DevChain> {
  const chain = await startDevChain(options)
  started.push(chain)
  return chain
}

const reader = (chain: DevChain) => createPublicClient({ transport: http(chain.url) })
const responds = (url: string) =>
  fetch(url, { method: 'POST' }).then(
    () => true,
    () => false,
  )

/** The facts that a later start must restore. */
async function readReceipt(chain: DevChain, hash: `0x${string}`) {
  const client = reader(chain)
  const receipt = await client.getTransactionReceipt({ hash })
  const transaction = await client.getTransaction({ hash })
  const block = await client.getBlock({ blockNumber: receipt.blockNumber })
  const logs = await client.getLogs({ address: chain.token, blockHash: block.hash })
  return {
    block: block.hash,
    input: transaction.input,
    receipt: { status: receipt.status, block: receipt.blockHash, logs: receipt.logs },
    logs,
    balance: await tokenBalance(chain, shop),
  }
}

async function payAndMine(chain: DevChain) {
  const { hash } = await chain.pay({ from: account(chain, 1), to: shop, amount: 42n })
  await chain.mine(30)
  return hash
}

describe('stop', () => {
  it('returns when nothing listens any more, and may be called twice', async () => {
    const chain = await start({ blockTime: 0 })
    const port = Number(new URL(chain.url).port)
    expect(await isFree(port)).toBe(false)
    await chain.stop()
    expect(await isFree(port)).toBe(true)
    await chain.stop()
  })
})

describe('a chain whose process is killed', () => {
  it('ends, and saves its state first', async () => {
    const port = await freePort()
    const fixture = fileURLToPath(new URL('./lifetime.fixture.ts', import.meta.url))
    const dump = join(folder, 'dump.json')
    const parent = startProcess(fixture, { args: [String(port), dump] })
    onTestFinished(() => void parent.end('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    await parent.until(async () => expect(await responds(url)).toBe(true))

    await parent.end('SIGKILL')

    await until(async () => expect(await responds(url)).toBe(false))
    await until(() => expect(JSON.parse(readFileSync(dump, 'utf8'))).toHaveProperty('blocks'))
  })
})

describe('statePath', () => {
  it('keeps blocks, receipts, logs and balances over several starts', async () => {
    let chain = await start({ blockTime: 0, statePath })
    const hash = await payAndMine(chain)
    const before = await readReceipt(chain, hash)
    const height = await reader(chain).getBlockNumber()
    for (const _ of [1, 2]) {
      await chain.stop()
      chain = await start({ blockTime: 0, statePath })
      expect(await readReceipt(chain, hash)).toEqual(before)
    }
    expect(await reader(chain).getBlockNumber()).toBe(height)
    expect(before.balance).toBe(42n)
  })

  it('continues from the last block, by the wall clock', async () => {
    const first = await start({ blockTime: 0, statePath })
    await payAndMine(first)
    const last = await reader(first).getBlock()
    await first.stop()
    const restartedAt = Math.floor(Date.now() / 1000)
    const second = await start({ blockTime: 0, statePath })
    await second.mine()
    const next = await reader(second).getBlock()
    expect(next.parentHash).toBe(last.hash)
    const now = Math.floor(Date.now() / 1000)
    expect(Number(next.timestamp)).toBeGreaterThanOrEqual(restartedAt)
    expect(Number(next.timestamp)).toBeLessThanOrEqual(now)
  })

  it('falls back to the last complete state when a save was cut short', async () => {
    const first = await start({ blockTime: 0, statePath })
    const hash = await payAndMine(first)
    const before = await readReceipt(first, hash)
    await first.stop()
    await (await start({ blockTime: 0, statePath })).stop()
    const saved = readFileSync(`${statePath}.next`, 'utf8')
    writeFileSync(`${statePath}.next`, saved.slice(0, saved.length / 2))
    expect(await readReceipt(await start({ blockTime: 0, statePath }), hash)).toEqual(before)
  })

  it('is named in the error when it holds something else', async () => {
    const path = join(folder, 'notes.txt')
    writeFileSync(path, 'shopping list')
    await expect(start({ statePath: path })).rejects.toThrow(`cannot read ${path}`)
  })
})

describe('an error at the start', () => {
  it('names the port that is taken', async () => {
    const { port, close } = await listenLocally(createServer())
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const refused = expect(start({ port })).rejects.toThrow(`Port ${port} is taken`)
    vi.setSystemTime(Date.now() + 60_000)
    await refused
    await close()
  })

  it('names the package that this platform lacks', () => {
    expect(() => anvilPath('sunos', 'sparc')).toThrow('@foundry-rs/anvil-sunos-sparc')
  })
})
