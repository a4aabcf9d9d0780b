import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import {
  type Address,
  chainFacts,
  chainNames,
  chainSchema,
  modeSchema,
} from '@payment-intents/contract'
import { isAddress } from 'viem'
import { rotateSecrets, showSecrets } from './commands/secret.ts'
import { ConfigError, readDatabaseConfig } from './config.ts'
import { askForRescan } from './db/chains/cursors.ts'
import { type Db, isSqlState, type Queryable } from './db/connect.ts'
import { newId } from './db/ids.ts'
import { insertApiKey, listApiKeys, revokeApiKey } from './db/merchants/apiKeys.ts'
import {
  allowWallet,
  closeMerchant,
  insertMerchant,
  listMerchants,
  setMerchantWallet,
} from './db/merchants/merchants.ts'
import { openDb } from './db/open.ts'
import { EmbeddedError } from './postgres/failure.ts'
import { apiKeyHint, hashApiKey, newApiKey } from './secrets/apiKey.ts'
import type { Secrets } from './secrets/serverKeys.ts'
import { StartError } from './startError.ts'

const chainOption = chainNames.join('|')

const usage = `payment-intents-server serves. payment-intents-server COMMAND manages merchants, wallets, API keys and the database:

  merchant create --name NAME [--default-chain ${chainOption}]
  merchant list
  merchant close MERCHANT
  wallet set MERCHANT --mode testnet|mainnet --chain ${chainOption} --address 0x…
  wallet allow MERCHANT --address 0x…
  key create MERCHANT --mode testnet|mainnet
  key list MERCHANT
  key revoke KEY_ID
  secret show
  secret rotate
  chain rescan --mode testnet|mainnet --chain ${chainOption} --from BLOCK --to BLOCK
  migrate

Uses DATABASE_URL, else the PostgreSQL in DATA_DIR. What is made is printed alone on a line.
An API key is printed once; only its hash is stored. migrate prints the migrations that it applied; the other commands apply
them too, unless DATABASE_MIGRATE is false.`

class UsageError extends Error {}

type Options = {
  [name in 'name' | 'default-chain' | 'mode' | 'chain' | 'address' | 'from' | 'to']?: string
}
/** What few commands need. */
type Setting = { db: Db; secrets: Secrets; migrated: readonly string[] }
type Command = (
  db: Queryable,
  subject: string,
  options: Options,
  setting: Setting,
) => Promise<string>

const commands: Record<string, Command> = {
  'merchant create': async (db, _subject, options) => {
    const id = newId('mer', Date.now())
    const given = options['default-chain']
    const defaultChain =
      given === undefined ? null : oneOf(chainSchema.options, '--default-chain', given)
    await insertMerchant(db, { id, name: required('--name', options.name), defaultChain })
    return id
  },
  'merchant list': async (db) =>
    lines(
      (await listMerchants(db)).map((row) => [
        row.id,
        row.name,
        row.default_chain ?? 'base',
        row.closed_at ? `closed ${row.closed_at.toISOString()}` : 'open',
      ]),
    ),
  'merchant close': async (db, subject) => {
    if (!(await closeMerchant(db, subject))) throw new UsageError(`No open merchant ${subject}.`)
    return subject
  },
  'wallet set': async (db, subject, options) => {
    const address = readAddress(options.address)
    await setMerchantWallet(db, {
      merchantId: subject,
      mode: oneOf(modeSchema.options, '--mode', options.mode),
      chain: oneOf(chainSchema.options, '--chain', options.chain),
      address,
    })
    return address
  },
  'wallet allow': async (db, subject, options) => {
    const address = readAddress(options.address)
    await allowWallet(db, { merchantId: subject, address })
    return address
  },
  'key create': async (db, subject, options) => {
    const mode = oneOf(modeSchema.options, '--mode', options.mode)
    const key = newApiKey(mode)
    await insertApiKey(db, {
      id: newId('key', Date.now()),
      merchantId: subject,
      mode,
      hash: hashApiKey(key),
      hint: apiKeyHint(key),
    })
    return key
  },
  'key list': async (db, subject) =>
    lines(
      (await listApiKeys(db, subject)).map((row) => [
        row.id,
        row.mode,
        row.hint,
        row.revoked_at ? `revoked ${row.revoked_at.toISOString()}` : 'live',
      ]),
    ),
  'key revoke': async (db, subject) => {
    if (!(await revokeApiKey(db, subject))) throw new UsageError(`No live API key ${subject}.`)
    return subject
  },
  // The tables are up to date as soon as the database is open.
  migrate: async (_db, _subject, _options, { migrated }) =>
    migrated.length > 0 ? migrated.join('\n') : 'The tables are up to date.',
  'secret show': (_db, _subject, _options, { db, secrets }) => showSecrets(db, secrets),
  'secret rotate': (_db, _subject, _options, { db, secrets }) => rotateSecrets(db, secrets),
  'chain rescan': async (db, _subject, options) => {
    const mode = oneOf(modeSchema.options, '--mode', options.mode)
    const { chainId, name } = chainFacts(mode, oneOf(chainSchema.options, '--chain', options.chain))
    const [from, to] = [readBlock('--from', options.from), readBlock('--to', options.to)]
    if (from > to) throw new UsageError('--from is after --to.')
    await askForRescan(db, { chainId, from, to })
    return `${name}: blocks ${from} to ${to} are read once more by the server that follows it.`
  },
}

const withoutSubject = [
  ...['merchant create', 'merchant list', 'chain rescan'],
  ...['migrate', 'secret show', 'secret rotate'],
]

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      'default-chain': { type: 'string' },
      mode: { type: 'string' },
      chain: { type: 'string' },
      address: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  if (values.help) return console.log(usage)
  if (values.version) return console.log(await readVersion())
  const [noun = '', verb = '', subject = ''] = positionals
  const name = `${noun} ${verb}`.trim()
  const command = commands[name]
  if (!command) throw new UsageError(usage)
  const needsSubject = !withoutSubject.includes(name)
  if (needsSubject && !subject) throw new UsageError(usage)
  const config = readDatabaseConfig(process.env)
  const { db, close, migrated } = await openDb({
    ...config,
    ...(noun === 'migrate' ? { databaseMigrate: true } : {}),
    poolSize: 1,
    cluster: 'borrow',
    waitSeconds: 0,
    onError: (error) => console.error(error.message),
  })
  try {
    const printed = await command(db.pool, subject, values as Options, {
      ...{ db, secrets: config, migrated },
    })
    if (printed) console.log(printed)
  } catch (error) {
    if (isSqlState(error, '23503')) throw new UsageError(`No merchant ${subject}.`)
    throw error
  } finally {
    await close()
  }
}

async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  return JSON.parse(manifest).version
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new UsageError(`${name} is missing.`)
  return value
}

function oneOf<Value extends string>(
  allowed: readonly Value[],
  name: string,
  given: string | undefined,
): Value {
  const value = allowed.find((candidate) => candidate === given)
  if (!value) throw new UsageError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

/** Payments to a mistyped wallet would be lost, so a wrong checksum is refused. */
function readBlock(flag: string, text: string | undefined): bigint {
  if (!/^\d{1,15}$/.test(text ?? '')) throw new UsageError(`${flag} needs the number of a block.`)
  return BigInt(text ?? '')
}

function readAddress(given: string | undefined): Address {
  const address = required('--address', given)
  if (isAddress(address) && BigInt(address) !== 0n) return address
  throw new UsageError(
    '--address must be 0x and 40 hexadecimal digits, with a right EIP-55 checksum if in mixed case.',
  )
}

function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join('\t')).join('\n')
}

main().catch((error) => {
  const known =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof EmbeddedError ||
    error instanceof StartError ||
    String(error.code).startsWith('ERR_PARSE_ARGS')
  console.error(known ? error.message : error)
  process.exitCode = 1
})
