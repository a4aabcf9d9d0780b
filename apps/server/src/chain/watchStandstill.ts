import type { Lease } from '../store/chains/cursors.ts'
import {
  findProviderHeads,
  type ProviderHead,
  storeProviderHeads,
} from '../store/chains/providerHeads.ts'
import type { Db } from '../store/connection/connect.ts'
import { standstillMs } from './providers/headProgress.ts'
import type { HostHeads } from './providers/hostHeads.ts'

type StandstillWatch = {
  /** Continues from the heads of the process that followed before. */
  resume(): Promise<void>
  /** Stores what the heads showed, and logs which provider began to stand still and which continues. */
  note(lease: Lease): Promise<void>
}

const storeEveryMs = 5_000

function isStill({ standstillMs: ms }: ProviderHead): boolean {
  return ms >= standstillMs
}

/**
 * Watches whether the chain makes blocks, for every server to report.
 * @param options.blockSeconds seconds between blocks of a development chain; null: it makes blocks only on request
 */
export function watchStandstill(options: {
  db: Db
  chainId: number
  providers: { readonly heads: HostHeads }
  blockSeconds?: (() => Promise<number | null>) | undefined
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
}): StandstillWatch {
  const { db, chainId, blockSeconds, log } = options
  const { heads } = options.providers
  let stored = { at: -Infinity, verdict: '' }
  // The state that was logged last.
  let isChainStill = false
  const standing = new Set<string>()

  /** Whether a development chain pauses on purpose: it makes blocks only on request. */
  async function restsOnPurpose(): Promise<boolean> {
    if (!blockSeconds) return false
    const seconds = await blockSeconds()
    return seconds === null || seconds * 1_000 >= standstillMs
  }

  return {
    async resume() {
      heads.restore(await findProviderHeads(db.pool, chainId))
    },
    async note(lease) {
      // The clock of a development chain may be moved.
      const at = performance.now()
      if (verdict() === stored.verdict && at - stored.at < storeEveryMs) return
      if (heads.standstill() >= standstillMs && (await restsOnPurpose())) heads.forgive()
      const list = heads.list()
      if (list.length > 0) await storeProviderHeads(db.pool, lease, list)
      stored = { at, verdict: verdict() }
      reportChain()
      // While the chain stands still, so do its providers.
      if (!isChainStill) for (const providerHead of list) reportProvider(providerHead)
    },
  }

  /** The hosts of the providers that stand still. */
  function verdict(): string {
    const standing = heads.list().filter(isStill)
    return standing.map(({ provider }) => provider).join()
  }

  function reportChain(): void {
    const ms = heads.standstill()
    if (ms >= standstillMs === isChainStill) return
    isChainStill = !isChainStill
    if (isChainStill) {
      const seconds = Math.round(ms / 1_000)
      log.warn(
        { chain_id: chainId, seconds },
        'no provider shows a new block; payments are not seen',
      )
    } else log.info({ chain_id: chainId }, 'providers show new blocks again')
  }

  function reportProvider(providerHead: ProviderHead): void {
    const { provider, head } = providerHead
    if (isStill(providerHead) === standing.has(provider)) return
    const fields = { chain_id: chainId, provider, head: String(head) }
    if (isStill(providerHead)) {
      standing.add(provider)
      log.warn(
        { ...fields, seconds: Math.round(providerHead.standstillMs / 1_000) },
        'a provider shows no new block; payments in newer ones are settled without it',
      )
    } else {
      standing.delete(provider)
      log.info(fields, 'a provider shows new blocks again')
    }
  }
}
