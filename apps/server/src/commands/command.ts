import type { Address } from '@payment-intents/contract'
import { type SettingsChange, settingRules } from '@payment-intents/core'
import { walletAddressSchema } from '../account/walletActions.ts'
import type { Db, Queryable } from '../store/connection/connect.ts'
import type { Secrets } from '../store/merchants/serverKeys.ts'
import { updateSettings } from '../store/merchants/settings.ts'

/** The message is printed without a stack. */
export class UsageError extends Error {}

export function unknownMerchant(merchantId: string): UsageError {
  return new UsageError(`Merchant ${merchantId} does not exist: merchant list shows all.`)
}

export const optionNames = [
  ...['name', 'default-chain', 'mode', 'chain', 'address', 'from', 'to', 'label'],
  ...['scope', 'person', 'origin', 'accent', 'logo', 'match-plain-price', 'contact', 'page'],
] as const
export type Options = { readonly [name in string]?: string }

export type Command = {
  /** The subject of the command, as its usage names it; null: none. */
  readonly subject: 'MERCHANT' | 'KEY_ID' | 'TX_HASH' | null
  /** Finds the subject if the command line names none. Absent: the command line must name it. */
  findSubject?(db: Queryable): Promise<string>
  /** @returns the text for stdout, and a note for the operator */
  run(db: Queryable, subject: string, options: Options, setting: Setting): Promise<string | Printed>
}

/** Dependencies that few commands need. */
type Setting = {
  readonly db: Db
  readonly secrets: Secrets
  /** The migrations that opening the database has applied. */
  readonly migrated: readonly string[]
  /** The dashboard's origin; null: the server has none. */
  readonly dashboardUrl: string | null
}

type Printed = { readonly print: string; readonly note: string }

function required(name: string, value: string | undefined): string {
  if (!value) throw new UsageError(`${name} is missing.`)
  return value
}

export function enumValue<Value extends string>(
  allowed: readonly Value[],
  name: string,
  argument: string | undefined,
): Value {
  const value = allowed.find((candidate) => candidate === argument)
  if (!value) throw new UsageError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

/** A setting of a merchant, by the rule of the API. */
export function readSetting(
  rule: keyof typeof settingRules,
  name: string,
  argument: string | undefined,
): string {
  if (argument === undefined) throw new UsageError(`${name} is missing.`)
  const { parse, must } = settingRules[rule]
  const value = parse(argument)
  if (value === null) throw new UsageError(`${name} ${must}.`)
  return value
}

/**
 * Changes settings of the API.
 * @throws {UsageError} if the merchant does not exist
 */
export async function changeSettings(
  { db }: Pick<Setting, 'db'>,
  merchantId: string,
  change: SettingsChange,
): Promise<void> {
  const { type } = await updateSettings(db, merchantId, change)
  if (type === 'no_merchant') throw unknownMerchant(merchantId)
}

/** Refuses tabs and line breaks: a list prints one line per row, with tabs between columns. */
export function readText(name: string, argument: string | undefined): string {
  const text = required(name, argument?.trim())
  if (text.length > 200) throw new UsageError(`${name} must have at most 200 characters.`)
  if (/\p{Cc}/u.test(text)) throw new UsageError(`${name} must be one line, without tabs.`)
  return text
}

/** Refuses a wrong checksum, since payments to a mistyped wallet would be lost. */
export function readAddress(argument: string | undefined): Address {
  const address = required('--address', argument)
  if (walletAddressSchema.safeParse(address).success) return address as Address
  throw new UsageError(
    '--address must be 0x and 40 hexadecimal digits, with a right EIP-55 checksum if in mixed case.',
  )
}

export function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join('\t')).join('\n')
}
