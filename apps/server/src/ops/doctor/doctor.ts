import { join } from 'node:path'
import { type Config, ConfigError, readConfig, setVariables } from '../../config.ts'
import { StartError } from '../../lib/startError.ts'
import { awaitDatabase } from '../../store/connection/awaitDatabase.ts'
import { connect, type Db } from '../../store/connection/connect.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { EmbeddedError } from '../postgres/embeddedError.ts'
import { hasCluster } from '../postgres/hasCluster.ts'
import { checkChain } from './checkChain.ts'
import { checkDashboardUrl } from './checkDashboardUrl.ts'
import { checkEndpoints } from './checkEndpoints.ts'
import { checkMail } from './checkMail.ts'
import { checkPublicUrl } from './checkPublicUrl.ts'
import { checkRelayer } from './checkRelayer.ts'
import { checkSchema, checkSecret } from './checkTables.ts'
import { checkMs, type Finding, fail, ok, warn } from './finding.ts'

/**
 * Checks the dependencies of a server with these variables. Changes no data; starts an embedded PostgreSQL that does
 * not run, and stops it again. No finding holds a secret.
 */
export async function doctor(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const todo = 'correct the variable; the README lists every variable'
    const faults = error.message.split('\n').map((line) => fail('configuration', line, todo))
    return setVariables(env).length > 0 ? faults : [...faults, noVariables]
  }
  const warnings = config.warnings.map((line) =>
    warn('configuration', line, 'correct or unset the variable'),
  )
  const findings = await Promise.all([
    config.warnings.length > 0 ? warnings : [ok('configuration', 'every variable is valid')],
    ok(
      'configuration',
      `doctor checks a server with ${setVariables(env).join(', ')} as set in this environment`,
    ),
    checkDatabase(config),
    ...config.chains.map(checkChain),
    ...config.chains.map(checkRelayer),
    checkPublicUrl(config),
    checkDashboardUrl(config),
    checkMail(config),
  ])
  return findings.flat()
}

/** The finding if no variable is set: the server's unit, container or shell may set them. */
const noVariables = fail(
  'configuration',
  'this environment sets no variable of the server, so the server runs in another environment',
  'run doctor where the server runs, with the same variables',
)

async function checkDatabase(config: Config): Promise<Finding[]> {
  const opened = await open(config)
  if ('level' in opened) return [opened]
  const { db, close, name } = opened
  const pooled = `${name} responds through a pooler: the server prepares no statements and polls for changes`
  try {
    const schema = await checkSchema(db)
    const responds = ok('database', db.pooler ? pooled : `${name} responds`)
    // The further checks need the tables.
    if (schema.level === 'fail') return [responds, schema]
    return [responds, schema, await checkSecret(db, config), ...(await checkEndpoints(db, config))]
  } catch (error) {
    const { message } = error as Error
    return [fail('database', `${name} fails (${message})`, 'read the log of PostgreSQL')]
  } finally {
    await close()
  }
}

async function open(
  config: Config,
): Promise<Finding | { db: Db; name: string; close(): Promise<void> }> {
  try {
    if (config.databaseUrl) {
      const databaseKind = await awaitDatabase(config.databaseUrl, { seconds: 0, report() {} })
      const db = of(config.databaseUrl, databaseKind === 'pooled')
      const name = `PostgreSQL at ${new URL(config.databaseUrl).host}`
      return { db, name, close: () => db.pool.end() }
    }
    const { dataDir } = config
    // If the folder cannot be read, continue: the start below explains why.
    if (!(await hasCluster(join(dataDir, 'postgres')).catch(() => true))) {
      return warn(
        'database',
        `${dataDir} has no database yet`,
        'the server creates it at its first start; if your server has a database, set DATABASE_URL or DATA_DIR as for the server',
      )
    }
    const embedded = await startEmbedded(dataDir)
    const db = of(embedded.url, false)
    const close = async () => {
      await db.pool.end()
      if (embedded.started) await embedded.stop()
    }
    const cluster = `the embedded PostgreSQL in ${dataDir}`
    const name = embedded.started
      ? `${cluster}, started for this check as no server runs it,`
      : cluster
    return { db, name, close }
  } catch (error) {
    if (!(error instanceof StartError || error instanceof EmbeddedError)) throw error
    return fail('database', error.message, 'the server does not start until PostgreSQL responds')
  }
}

function of(url: string, pooled: boolean): Db {
  const timeouts = { connect: checkMs, statement: checkMs, lock: checkMs }
  return connect({ url, poolSize: 1, timeouts, pooled, onError() {} })
}
