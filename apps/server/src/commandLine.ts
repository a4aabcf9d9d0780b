import { parseArgs } from 'node:util'
import { chainNames } from '@payment-intents/contract'
import { flagIssue, nearestName } from '@payment-intents/contract/options'
import { auditedCommand } from './account/auditedCommand.ts'
import { brandCommands } from './commands/brandCommands.ts'
import { chainCommands } from './commands/chainCommands.ts'
import {
  type Command,
  type Options,
  optionNames,
  UsageError,
  unknownMerchant,
} from './commands/command.ts'
import { dashboardCommands } from './commands/dashboardCommands.ts'
import { keyCommands } from './commands/keyCommands.ts'
import { merchantCommands } from './commands/merchantCommands.ts'
import { migrateCommands } from './commands/migrateCommands.ts'
import { payerHelpCommands } from './commands/payerHelpCommands.ts'
import { returnOriginCommands } from './commands/returnOriginCommands.ts'
import { secretCommands } from './commands/secretCommands.ts'
import { walletCommands } from './commands/walletCommands.ts'
import { ConfigError, readDatabaseConfig } from './config.ts'
import { StartError } from './lib/startError.ts'
import { doctor } from './ops/doctor/doctor.ts'
import { printed } from './ops/doctor/finding.ts'
import { openDb } from './ops/openDb.ts'
import { EmbeddedError } from './ops/postgres/embeddedError.ts'
import { isSqlState } from './store/connection/connect.ts'
import { version } from './version.ts'

export type CommandLine = {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Receives a result. */
  print(text: string): void
  /** Receives an error, or a note for the operator. */
  note(text: unknown): void
}

const chainOption = chainNames.join('|')

const usage = `payment-intents-server starts the server. payment-intents-server COMMAND manages merchants, wallets, API keys and the database:

  merchant create --name NAME [--default-chain ${chainOption}]
  merchant list
  merchant rename MERCHANT --name NAME
  merchant close MERCHANT
  wallet set MERCHANT --mode testnet|mainnet --chain ${chainOption} --address 0x… [--match-plain-price on|off]
  wallet list MERCHANT
  wallet allow MERCHANT --address 0x…
  wallet disallow MERCHANT --address 0x…
  refund allow MERCHANT --address 0x…
  refund disallow MERCHANT --address 0x…
  return allow MERCHANT --origin https://…
  return list MERCHANT
  return disallow MERCHANT --origin https://…
  brand set MERCHANT [--accent #rrggbb] [--logo FILE]
  brand show MERCHANT
  brand remove MERCHANT
  support set MERCHANT --contact ADDRESS|https://…
  support show MERCHANT
  support remove MERCHANT
  guide set MERCHANT --page https://…|none
  guide show MERCHANT
  guide remove MERCHANT
  key create MERCHANT --mode testnet|mainnet [--label LABEL] [--scope full|read_only]
  key list MERCHANT
  key label KEY_ID --label LABEL
  key revoke KEY_ID
  dashboard [MERCHANT] [--person PERSON]
  secret show
  secret rotate
  doctor [--json]
  chain dismiss TX_HASH --mode testnet|mainnet --chain ${chainOption}
  chain rescan --mode testnet|mainnet --chain ${chainOption} --from BLOCK --to BLOCK
  migrate

Uses DATABASE_URL, else the PostgreSQL in DATA_DIR. A command prints what it creates alone on a line.
dashboard prints a link that signs in an owner, or the person, once within ten minutes.
An API key is printed once; only its hash is stored. migrate prints the migrations that it applied; the other commands apply
them too, unless DATABASE_MIGRATE is false.`

const commands: Record<string, Command> = {
  ...merchantCommands,
  ...walletCommands,
  ...returnOriginCommands,
  ...brandCommands,
  ...payerHelpCommands,
  ...keyCommands,
  ...dashboardCommands,
  ...chainCommands,
  ...secretCommands,
  ...migrateCommands,
}

/**
 * Runs a command to its end.
 * @returns its exit code
 */
export async function commandLine(line: CommandLine): Promise<number> {
  try {
    return await run(line)
  } catch (error) {
    const isExplained =
      error instanceof UsageError ||
      error instanceof ConfigError ||
      error instanceof EmbeddedError ||
      error instanceof StartError ||
      String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
    line.note(isExplained ? (error as Error).message : error)
    return 1
  }
}

const flags = {
  ...Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }])),
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Refuses a flag that the command does not have. The command's line in the usage names its flags. */
function checkFlags(args: readonly string[], name: string): void {
  const line = usage.split('\n').find((each) => `${each} `.startsWith(`  ${name} `)) ?? ''
  const flags = Array.from(line.matchAll(/--([a-z-]+)/g), ([, flag = '']) => flag)
  const issue = flagIssue(args, [...flags, 'help', 'version'], name)
  if (issue !== undefined) throw new UsageError(issue)
}

function unknownCommand(name: string): UsageError {
  const closest = nearestName(name, ['doctor', ...Object.keys(commands)])
  return new UsageError(
    closest ? `${name} is not a command. Did you mean ${closest}?\n\n${usage}` : usage,
  )
}

async function run({ args, env, print, note }: CommandLine): Promise<number> {
  const issue = flagIssue(args, Object.keys(flags))
  if (issue !== undefined) throw new UsageError(issue)
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: flags,
  })
  const [noun = ''] = positionals
  if (values.help) print(usage)
  else if (values.version) print(version)
  else if (noun === 'doctor') return examine()
  else await manage()
  return 0

  async function manage(): Promise<void> {
    // The name of a command has two words, or one with its subject behind it.
    const nameLength = commands[noun] ? 1 : 2
    const name = positionals.slice(0, nameLength).join(' ')
    const named = positionals[nameLength] ?? ''
    const command = commands[name]
    if (!command) throw unknownCommand(name)
    checkFlags(args, name)
    const maxPositionals = nameLength + (command.subject ? 1 : 0)
    if (positionals.length > maxPositionals)
      throw new UsageError(
        `${name} takes no more than ${command.subject ?? 'its options'}.\n\n${usage}`,
      )
    if (command.subject && !named && !command.findSubject) {
      throw new UsageError(`${name} needs ${command.subject}.\n\n${usage}`)
    }
    const config = readDatabaseConfig(env)
    const { db, close, migrated } = await openDb({
      ...config,
      ...(name === 'migrate' ? { databaseMigrate: true } : {}),
      poolSize: 1,
      cluster: 'borrow',
      waitSeconds: 0,
      onError: (error) => note(error.message),
    })
    try {
      // Find the subject before the command runs: the audit log names the merchant.
      const subject = named || ((await command.findSubject?.(db.pool)) ?? '')
      const run = () =>
        command.run(db.pool, subject, values as Options, {
          ...{ db, secrets: config, migrated, dashboardUrl: config.dashboard?.url ?? null },
        })
      const printed = await auditedCommand(db, { name, command, subject, options: values }, run)
      const result = typeof printed === 'string' ? { print: printed, note: '' } : printed
      if (result.print) print(result.print)
      if (result.note) note(result.note)
    } catch (error) {
      if (isSqlState(error, '23503')) throw unknownMerchant(named)
      throw error
    } finally {
      await close()
    }
  }

  /** @returns 1 if a check fails */
  async function examine(): Promise<number> {
    checkFlags(args, 'doctor')
    const findings = await doctor(env)
    print(values.json ? JSON.stringify(findings, null, 2) : printed(findings))
    return findings.some(({ level }) => level === 'fail') ? 1 : 0
  }
}
