import { expect, test } from 'vitest'
import { findUnknownVariables } from './unknownVariables.ts'

const names = [
  ...['PORT', 'HOST', 'PUBLIC_URL', 'DATA_DIR', 'DATABASE_URL', 'DATABASE_POOL_SIZE', 'LOG_LEVEL'],
  ...['SERVER_SECRET', 'RPC_URL_BASE_MAINNET', 'RPC_URL_POLYGON_TESTNET', 'TRUST_PROXY'],
  ...['CONFIRMATIONS_BASE_MAINNET', 'WEBHOOK_ALLOW_PRIVATE', 'DEVELOPMENT_CHAIN'],
]
const find = (name: string, env = {}) =>
  findUnknownVariables({ [name]: 'set', ...env }, names).map(
    ({ certainty, closest: nearest }) => `${certainty}: ${nearest}`,
  )

test.each([
  ['SERVER_SECRETS', 'SERVER_SECRET'],
  ['SEVER_SECRET', 'SERVER_SECRET'],
  ['server_secret', 'SERVER_SECRET'],
  ['RPC_URL_BASE_MAINET', 'RPC_URL_BASE_MAINNET'],
  ['RPC_URLS_BASE_MAINNET', 'RPC_URL_BASE_MAINNET'],
  ['CONFIRMATIONS_BASE', 'CONFIRMATIONS_BASE_MAINNET'],
  ['WEBHOOK_ALLOW_PIRVATE', 'WEBHOOK_ALLOW_PRIVATE'],
  ['DEVELOPEMENT_CHAIN', 'DEVELOPMENT_CHAIN'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
])('%s is certainly %s', (name, nearest) => {
  expect(find(name)).toEqual([`certain: ${nearest}`])
})

test.each([
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['LGO_LEVEL', 'LOG_LEVEL'],
  ['DATABASE_POOL_MAX', 'DATABASE_POOL_SIZE'],
  ['RPC_URL_ARBITRUM_MAINNET', 'RPC_URL_BASE_MAINNET'],
  ['RPC_URL_BASE', 'RPC_URL_BASE_MAINNET'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
])('%s may be another program’s, or %s', (name, nearest) => {
  expect(find(name)).toEqual([`possible: ${nearest}`])
})

test.each([
  ...['PORT', 'POST', 'PATH', 'HOME', 'HOSTNAME', 'LANG', 'NODE_ENV', 'npm_config_registry'],
  ...['DATABASE_PASSWORD', 'RPC_URL', 'WEBHOOK_SECRET', 'PAYMENT_INTENTS_BASE_URL', 'PGHOST'],
  // Kubernetes sets these for services of these names.
  ...['CONFIRMATIONS_SERVICE_HOST', 'CONFIRMATIONS_PORT', 'SERVER_SECRET_PORT_80_TCP_ADDR'],
])('%s is not a variable of this server', (name) => {
  expect(find(name)).toEqual([])
})

test('a name close to a set variable is another program’s, unless no other program has such names', () => {
  expect(find('DATABASE_URI', { DATABASE_URL: 'postgres://h/d' })).toEqual([])
  expect(find('LOGLEVEL', { LOG_LEVEL: 'info' })).toEqual([])
  expect(find('SERVER_SECRETS', { SERVER_SECRET: 'x' })).toEqual(['certain: SERVER_SECRET'])
})
