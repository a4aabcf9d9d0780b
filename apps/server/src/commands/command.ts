import type { Address } from '@payment-intents/contract'
import { isAddress } from 'viem'
import type { Db, Queryable } from '../store/connection/connect.ts'
import type { Secrets } from '../store/merchants/serverKeys.ts'

/** Printed without a stack. */
export class UsageError extends Error {}

export const optionNames = [
  ...['name', 'default-chain', 'mode', 'chain', 'address', 'from', 'to', 'label'],
  ...['origin', 'accent', 'logo', 'match-plain-price', 'contact', 'page'],
] as const
export type Options = { readonly [name in string]?: string }

export type Command = {
  /** What the command is about, as its usage names it; null: nothing that exists. */
  readonly subject: 'MERCHANT' | 'KEY_ID' | 'TX_HASH' | null
  /** @returns what goes to stdout, and a note for the operator */
  run(db: Queryable, subject: string, options: Options, setting: Setting): Promise<string | Printed>
}

/** What few commands need. */
type Setting = {
  readonly db: Db
  readonly secrets: Secrets
  /** The migrations that opening the database has applied. */
  readonly migrated: readonly string[]
}

type Printed = { readonly print: string; readonly note: string }

function required(name: string, value: string | undefined): string {
  if (!value) throw new UsageError(`${name} is missing.`)
  return value
}

export function oneOf<Value extends string>(
  allowed: readonly Value[],
  name: string,
  given: string | undefined,
): Value {
  const value = allowed.find((candidate) => candidate === given)
  if (!value) throw new UsageError(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

/** Lists have a line a row, and a tab between columns. */
export function readText(name: string, given: string | undefined): string {
  const text = required(name, given?.trim())
  if (text.length > 200) throw new UsageError(`${name} must have at most 200 characters.`)
  if (/\p{Cc}/u.test(text)) throw new UsageError(`${name} must be one line, without tabs.`)
  return text
}

/** Payments to a mistyped wallet would be lost, so a wrong checksum is refused. */
export function readAddress(given: string | undefined): Address {
  const address = required('--address', given)
  if (isAddress(address) && BigInt(address) !== 0n) return address
  throw new UsageError(
    '--address must be 0x and 40 hexadecimal digits, with a right EIP-55 checksum if in mixed case.',
  )
}

export function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join('\t')).join('\n')
}
