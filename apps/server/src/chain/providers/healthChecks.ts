import type { Header } from '../../store/chains/blocks.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Connection } from '../rpc/rpcConnection.ts'
import { RpcError } from '../rpc/rpcError.ts'
import type { Checked } from './checkProvider.ts'
import type { HostHeads } from './hostHeads.ts'
import * as health from './providerHealth.ts'
import { type Skew, sample } from './skew.ts'

/** A configured URL of a chain. */
export type Candidate = {
  readonly connection: Connection
  readonly rpc: Rpc
  check(): Promise<Checked>
}

/** A provider and its state in this process. */
export type Provider = Candidate & {
  readonly host: string
  health: health.Health
  skew: Skew | null
  /** Whether a check or a probe of its head is in flight. */
  busy: boolean
  /** The probe of its logs that is in flight. */
  probing: Promise<boolean> | null
  /** The reason of its last failure; null after a successful check. */
  reason: string | null
  /** Since this process started. */
  failures: number
  disagreements: number
}

export function newProvider(candidate: Candidate): Provider {
  return {
    ...candidate,
    host: candidate.connection.host,
    health: health.newHealth,
    skew: null,
    busy: false,
    probing: null,
    reason: null,
    failures: 0,
    disagreements: 0,
  }
}

export type HealthChecks = ReturnType<typeof createHealthChecks>

/** Requests heads from providers and keeps their health. */
export function createHealthChecks(options: {
  readonly chainId: number
  readonly providers: readonly Provider[]
  readonly heads: HostHeads
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly log: { warn(fields: object, message: string): void }
}) {
  const { chainId, providers, heads, now, random, log } = options

  function fail(provider: Provider, error: unknown): void {
    // Several requests of one poll may fail together: they count as one failure.
    if (provider.health.state === 'unchecked' && provider.health.backoffUntil > now()) return
    provider.health = health.failed(provider.health, now(), random())
    const fields = {
      chain_id: chainId,
      provider: provider.host,
      failures: provider.health.failures,
    }
    const reason = error instanceof Error ? error.message : String(error)
    const isNew = reason !== provider.reason
    provider.reason = reason
    provider.failures += 1
    // Logs a failure with a new reason, and of consecutive failures the 1st, 2nd, 4th and 8th. The metric counts all.
    if (!isNew && !Number.isInteger(Math.log2(provider.health.failures))) return
    log.warn({ ...fields, reason }, 'a provider failed; it rests')
  }

  /** Logs the first call and each tenth, since each poll calls it again. */
  function disagree(provider: Provider): void {
    provider.disagreements += 1
    const { host, disagreements } = provider
    if (disagreements % 10 !== 1) return
    log.warn(
      { chain_id: chainId, provider: host, disagreements },
      'a provider does not confirm a payment that another provider shows; the payment waits',
    )
  }

  async function check(provider: Provider): Promise<string | null> {
    provider.busy = true
    try {
      const checked = await provider.check()
      if (checked.type === 'refused') {
        fail(provider, new Error(checked.reason))
        return checked.reason
      }
      await head(provider)
      provider.health = health.checked(provider.health)
      provider.reason = null
    } catch (error) {
      fail(provider, error)
    } finally {
      provider.busy = false
    }
    return null
  }

  /** Cheaper than a check: one request. */
  async function probe(provider: Provider): Promise<void> {
    if (provider.health.state === 'unchecked') return void (await check(provider))
    provider.busy = true
    await head(provider).catch((error) => fail(provider, error))
    provider.busy = false
  }

  /** Stores the head. */
  async function observe(provider: Provider): Promise<Header | null> {
    const header = await provider.rpc.header('latest')
    if (!header) return null
    heads.observe(provider.host, header.number)
    provider.health = health.reportedHead(provider.health, header.number, now())
    provider.skew = sample(provider.skew, header, now())
    return header
  }

  /** Refuses a head that is far behind what others reported. */
  async function head(provider: Provider): Promise<Header | null> {
    const header = await observe(provider)
    const others = providers.filter(({ host }) => host !== provider.host)
    const reported = others.map((other) => other.health)
    if (!header || !health.isBehind(header.number, reported)) return header
    throw new RpcError(
      'contradiction',
      `${provider.host} is far behind, at block ${header.number}.`,
    )
  }

  return { fail, disagree, check, probe, observe, head }
}
