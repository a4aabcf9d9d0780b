import { StartError } from '../../lib/startError.ts'
import { type Db, isSqlState, type Queryable, transaction } from '../../store/connection/connect.ts'
import { openServerKeys, type Secrets } from '../../store/merchants/serverKeys.ts'
import { compareMigrations } from '../../store/migrate.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export async function checkSchema({ pool }: Db): Promise<Finding> {
  const compared = await compareMigrations(pool).catch((error) => {
    if (isSqlState(error, '42P01')) return null
    throw error
  })
  if (!compared) {
    return fail(
      'schema',
      'the database has no tables of this server',
      'start the server: it creates them',
    )
  }
  const { missing, unknown } = compared
  if (unknown.length > 0) {
    return fail(
      'schema',
      `the database has ${unknown.join(', ')}, which this release does not know`,
      'run the release that wrote it or a later one: this release does not start on it',
    )
  }
  if (missing.length > 0) {
    return warn(
      'schema',
      `the database lacks the migration ${missing.join(', ')}`,
      'start the server of this release: it applies the migration',
    )
  }
  return ok('schema', 'the tables match this release')
}

class Undone extends Error {}

export async function checkSecret(db: Db, secrets: Secrets): Promise<Finding> {
  try {
    await transaction(db, async (client: Queryable) => {
      await openServerKeys(client, secrets)
      // Roll back: a database that no server has used yet would store the fingerprint of this secret.
      throw new Undone()
    })
  } catch (error) {
    if (error instanceof StartError) {
      return fail(
        'secret',
        error.message,
        'set the secret of the other servers: this server does not start without it',
      )
    }
    if (!(error instanceof Undone)) throw error
  }
  return ok('secret', 'SERVER_SECRET matches this database')
}
