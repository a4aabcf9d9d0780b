import type { Command } from '../commands/command.ts'
import type { Db } from '../store/connection/connect.ts'
import { merchantOfApiKey } from '../store/merchants/apiKeys.ts'
import { hasMerchant } from '../store/merchants/merchants.ts'
import { audited } from './auditLogEndpoints.ts'

type Named = {
  /** The command as typed, such as `key create`. */
  readonly name: string
  readonly command: Command
  readonly subject: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Runs a command of the operator. If it may change a merchant, it gets an entry in the merchant's audit log. */
export async function auditedCommand<Result>(
  db: Db,
  { name, command, subject, options }: Named,
  run: () => Promise<Result>,
): Promise<Result> {
  const isReadOnly = / (list|show)$/.test(name)
  const merchantId = isReadOnly ? null : await merchantOf(db, command, subject)
  if (merchantId === null) return run()
  const context = { db, now: Date.now, database: { report() {} } }
  const body = Object.fromEntries(
    Object.entries(options).map(([option, value]) => [option.replaceAll('-', '_'), value]),
  )
  const action = { merchantId, mode: null, actor: { operator: true }, action: name, body } as const
  const { result } = await audited(context, { ...action, subject }, async () => ({
    result: await run(),
  }))
  return result
}

async function merchantOf(db: Db, { subject: kind }: Command, subject: string) {
  if (kind === 'MERCHANT') return (await hasMerchant(db.pool, subject)) ? subject : null
  return kind === 'KEY_ID' ? merchantOfApiKey(db.pool, subject) : null
}
