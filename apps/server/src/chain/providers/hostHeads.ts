import type { ProviderHead } from '../../store/chains/providerHeads.ts'
import { max } from '../rpc/bigints.ts'
import { type HeadProgress, observeHead, standstillOf } from './headProgress.ts'

/** The progress of the heads of a chain's providers, by host: two URLs of one host are one provider. */
export type HostHeads = {
  observe(host: string, head: bigint): void
  of(host: string): HeadProgress | null
  /** All heads, for the process that follows next. */
  list(): ProviderHead[]
  /** Continues from the heads of another process, unless this process has higher heads. */
  restore(heads: readonly ProviderHead[]): void
  /** Milliseconds for which no head rose while heads were requested. */
  standstill(): number
  /** Resets the standstill: the chain pauses on purpose. */
  forgive(): void
}

/** @param now Unix milliseconds */
export function createHostHeads(hosts: readonly string[], now: () => number): HostHeads {
  const progress = new Map<string, HeadProgress>()
  return {
    observe(host, head) {
      const others = [...progress].flatMap(([other, hostProgress]) =>
        other === host ? [] : [hostProgress.head],
      )
      const best = others.length > 0 ? others.reduce(max) : null
      progress.set(host, observeHead(progress.get(host) ?? null, head, best, now()))
    },
    of: (host) => progress.get(host) ?? null,
    list() {
      return [...progress].map(([provider, hostProgress]) => {
        const ages = {
          standstillMs: standstillOf(hostProgress),
          unseenMs: Math.max(0, now() - hostProgress.observedAt),
        }
        return { provider, head: hostProgress.highest, lead: hostProgress.lead, ...ages }
      })
    },
    restore(heads) {
      for (const { provider, head, lead, standstillMs, unseenMs } of heads) {
        const hasHigherHead = head < (progress.get(provider)?.highest ?? 0n)
        if (!hosts.includes(provider) || hasHigherHead) continue
        const observedAt = now() - unseenMs
        const highest = {
          highest: head,
          highestAt: observedAt,
          advancedAt: observedAt - standstillMs,
        }
        progress.set(provider, { head, observedAt, lead, ...highest })
      }
    },
    standstill() {
      const all = [...progress.values()]
      const latest = (times: readonly number[]) => Math.max(...times)
      if (all.length === 0) return 0
      return (
        latest(all.map(({ observedAt }) => observedAt)) -
        latest(all.map(({ advancedAt }) => advancedAt))
      )
    },
    forgive() {
      for (const [host, hostProgress] of progress)
        progress.set(host, { ...hostProgress, advancedAt: hostProgress.observedAt })
    },
  }
}
