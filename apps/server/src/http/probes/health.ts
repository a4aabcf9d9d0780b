import { chainFactsOf } from '@payment-intents/contract'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { classifyDbError, type WriteFault } from '../../lib/classifyDbError.ts'
import { inTime } from '../../lib/inTime.ts'
import { type Lag, readLags } from '../../store/chains/cursors.ts'
import { standstillSeconds } from '../../store/chains/providerHeads.ts'
import { clockFaults } from '../../store/clocks/clockFaults.ts'
import { isSqlState } from '../../store/connection/connect.ts'
import { isMigrated } from '../../store/migrate.ts'
import { version } from '../../version.ts'
import type { FollowedChain, HttpContext } from '../transport/httpContext.ts'

/** A watched chain that was not read for longer degrades the server. */
const longestLagSeconds = 60
/** Less than a second: a probe takes a second of silence for a dead process. */
const databaseMs = 900
const providersMs = 500

/**
 * `/readyz` is 503 while this process cannot serve anybody: its database is unreachable or has other tables, or it is
 * stopping. A fault that all servers share, such as an RPC that is down, is `degraded` with 200: a balancer that
 * removed all servers would stop payments that are only late.
 */
export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  app.get('/livez', { logLevel: 'warn' }, async () => ({
    status: 'ok',
    // The doctor command recognizes its own server by this.
    installation: context.serverKeys.next.installation,
  }))

  app.get('/readyz', { logLevel: 'warn' }, async (request, reply) => {
    const probes = context.followed.map(({ providers }) => providers.probe())
    const [database] = await Promise.all([
      probeDatabase(context, request.log),
      inTime(Promise.all(probes), providersMs),
    ])
    const isStopping = context.stopping.aborted
    const lags = typeof database === 'string' ? [] : database
    const chains = context.followed.map((followed) => toChain(context, followed, lags))
    const writeFault = context.database.writeFault()
    const degraded = [
      ...(writeFault ? [`database: ${writeFaults[writeFault]}`] : []),
      ...context.followed.flatMap((followed, index) => {
        const { chainId } = followed
        const lag = lags.find((candidate) => candidate.chainId === chainId)
        const chain = chains[index]
        const faults = [
          ...standstillsOf(followed, lag),
          ...(chain ? faultsOf(chain) : []),
          ...clockFaults(context.clock(chainId)),
        ]
        return faults.map((fault) => `${chainFactsOf(chainId).name}: ${fault}`)
      }),
    ]
    const isReady = typeof database !== 'string' && !isStopping
    reply.status(isReady ? 200 : 503)
    return {
      version,
      status: isReady ? (degraded.length > 0 ? 'degraded' : 'ok') : 'not_ready',
      database: typeof database === 'string' ? database : (writeFault ?? 'ok'),
      stopping: isStopping,
      degraded,
      chains,
    }
  })
}

/** All servers meet a write fault at once, and reads continue, so it only degrades. */
const writeFaults: { readonly [fault in WriteFault]: string } = {
  disk_full: 'its disk is full, so nothing is created or recorded; free some space there',
  read_only:
    'it is read-only, so nothing is created or recorded; have DATABASE_URL lead to the primary',
}

/** Every server reports the standstills that the follower of the chain has stored. */
function standstillsOf({ providers }: FollowedChain, lag: Lag | undefined): readonly string[] {
  if (!lag) return []
  if (lag.standstillSeconds >= standstillSeconds) {
    const seconds = Math.round(lag.standstillSeconds)
    return [
      `no RPC provider shows a new block for ${seconds} seconds, so no payment is seen: the chain stands still, or they do`,
    ]
  }
  if (lag.seconds > longestLagSeconds) {
    return [`was read ${Math.round(lag.seconds)} seconds ago; payments are seen late`]
  }
  const hosts = new Set(providers.report().map(({ host }) => host))
  const standing = lag.providers.filter(
    (provider) => hosts.has(provider.host) && provider.standstillSeconds >= standstillSeconds,
  )
  if (standing.length === 0) return []
  return [
    `${standing.length} of ${hosts.size} RPC providers stand still and confirm no newer payment; the log names them`,
  ]
}

type Chain = ReturnType<typeof toChain>

/** Faults that a person should see and that no balancer acts on. */
function faultsOf({ quarantined, providers, relayer }: Chain): string[] {
  const { ready, configured } = providers
  return [
    ...(ready === 0 ? ['no RPC provider responds, so no payment is seen; the log says why'] : []),
    ...(ready > 0 && ready < configured
      ? [`${configured - ready} of ${configured} RPC providers do not respond; the log says why`]
      : []),
    ...(quarantined > 0
      ? [
          `no RPC provider shows ${quarantined} transactions, so payments in them are not seen; the log names them`,
        ]
      : []),
    ...(relayer?.reason ? [`payments without gas are not offered: ${relayer.reason}`] : []),
  ]
}

function toChain(
  context: HttpContext,
  { chainId, providers, relayer }: FollowedChain,
  lags: readonly Lag[],
) {
  const lag = lags.find((candidate) => candidate.chainId === chainId)
  const report = providers.report()
  return {
    chain_id: chainId,
    // null: nobody waits for a payment there.
    lag_seconds: lag ? Math.round(lag.seconds) : null,
    // The number of transactions that no provider returns.
    quarantined: lag?.quarantined ?? 0,
    clock_skew_seconds: Math.round(context.clock(chainId).skewMs / 1000),
    // Anybody may call this, so it does not name the hosts.
    providers: {
      ready: report.filter(({ isReady }) => isReady).length,
      configured: report.length,
    },
    ...(relayer ? { relayer: relayerOf(relayer.report()) } : {}),
  }
}

/** Anybody may call this, so it does not tell the balance. */
function relayerOf({ reason }: { reason: string | null }) {
  return { offered: reason === null, reason }
}

async function probeDatabase(
  { db, database }: HttpContext,
  log: FastifyBaseLogger,
): Promise<Lag[] | 'unreachable' | 'other_schema'> {
  if (database.isAway()) return 'unreachable'
  const probes = Promise.all([readLags(db.pool), isMigrated(db.pool)]).then(
    ([lags, migrated]) => (migrated ? lags : ('other_schema' as const)),
    (error: Error) => {
      // undefined_table, undefined_column
      if (isSqlState(error, '42P01') || isSqlState(error, '42703')) return 'other_schema' as const
      database.report(error)
      if (classifyDbError(error) === null) log.warn({ err: error }, 'the lag could not be read')
      return 'unreachable' as const
    },
  )
  return (await inTime(probes, databaseMs)) ?? 'unreachable'
}
