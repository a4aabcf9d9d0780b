import { randomBytes } from 'node:crypto'
import { connect } from '@payment-intents/server/src/store/connection/connect.ts'
import { inject } from 'vitest'
import type {} from '../../../support/startPostgres.ts'

/** An empty database for a server. @returns its URL */
export async function createDatabase(): Promise<string> {
  const url = inject('clusterUrl')
  const name = `installed_${randomBytes(8).toString('hex')}`
  const { pool } = connect({ url, poolSize: 1 })
  await pool.query(`create database ${name}`)
  await pool.end()
  return url.replace(/\/postgres$/, `/${name}`)
}
