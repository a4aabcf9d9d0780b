import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { chainNames } from '@payment-intents/contract'
import { chainCommands } from './commands/chains.ts'
import { type Command, type Options, optionNames, UsageError } from './commands/command.ts'
import { keyCommands } from './commands/keys.ts'
import { merchantCommands } from './commands/merchants.ts'
import { migrateCommands } from './commands/migrate.ts'
import { secretCommands } from './commands/secret.ts'
import { walletCommands } from './commands/wallets.ts'
import { ConfigError, readDatabaseConfig } from './config.ts'
import { isSqlState } from './db/connect.ts'
import { openDb } from './db/open.ts'
import { doctor } from './doctor/doctor.ts'
import { printed } from './doctor/finding.ts'
import { EmbeddedError } from './postgres/failure.ts'
import { StartError } from './startError.ts'

const chainOption = chainNames.join('|')

const usage = `payment-intents-server serves. payment-intents-server COMMAND manages merchants, wallets, API keys and the database:

  merchant create --name NAME [--default-chain ${chainOption}]
  merchant list
  merchant rename MERCHANT --name NAME
  merchant close MERCHANT
  wallet set MERCHANT --mode testnet|mainnet --chain ${chainOption} --address 0x…
  wallet list MERCHANT
  wallet allow MERCHANT --address 0x…
  wallet disallow MERCHANT --address 0x…
  key create MERCHANT --mode testnet|mainnet [--label LABEL]
  key list MERCHANT
  key label KEY_ID --label LABEL
  key revoke KEY_ID
  secret show
  secret rotate
  doctor [--json]
  chain rescan --mode testnet|mainnet --chain ${chainOption} --from BLOCK --to BLOCK
  migrate

Uses DATABASE_URL, else the PostgreSQL in DATA_DIR. What is made is printed alone on a line.
An API key is printed once; only its hash is stored. migrate prints the migrations that it applied; the other commands apply
them too, unless DATABASE_MIGRATE is false.`

const commands: Record<string, Command> = {
  ...merchantCommands,
  ...walletCommands,
  ...keyCommands,
  ...chainCommands,
  ...secretCommands,
  ...migrateCommands,
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }])),
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  if (values.help) return console.log(usage)
  if (values.version) return console.log(await readVersion())
  if (positionals[0] === 'doctor') return examine(values.json === true)
  const [noun = '', verb = '', subject = ''] = positionals
  const name = `${noun} ${verb}`.trim()
  const command = commands[name]
  if (!command) throw new UsageError(usage)
  if (command.subject && !subject) {
    throw new UsageError(`${name} needs ${command.subject}.\n\n${usage}`)
  }
  const config = readDatabaseConfig(process.env)
  const { db, close, migrated } = await openDb({
    ...config,
    ...(name === 'migrate' ? { databaseMigrate: true } : {}),
    poolSize: 1,
    cluster: 'borrow',
    waitSeconds: 0,
    onError: (error) => console.error(error.message),
  })
  try {
    const printed = await command.run(db.pool, subject, values as Options, {
      ...{ db, secrets: config, migrated },
    })
    const { print, note } = typeof printed === 'string' ? { print: printed, note: '' } : printed
    if (print) console.log(print)
    if (note) console.error(note)
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

/** Exits with 1 when something keeps a server from its work. */
async function examine(json: boolean): Promise<void> {
  const findings = await doctor(process.env)
  console.log(json ? JSON.stringify(findings, null, 2) : printed(findings))
  if (findings.some(({ level }) => level === 'fail')) process.exitCode = 1
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
