import { type CreatePaymentLink, chainSchema } from '@payment-intents/contract'
import { toUnits } from '@payment-intents/node'
import { readTime } from '../readTime.ts'
import { UsageError } from '../usageError.ts'
import { readPicture } from './readPictureFile.ts'

/** The command `payment-intents link`. */
export type LinkCommand =
  | { readonly action: 'create'; readonly params: CreatePaymentLink; readonly json: boolean }
  | { readonly action: 'list'; readonly active: boolean; readonly json: boolean }

/** The unparsed flags of `link`. */
export type LinkFlags = {
  readonly amount?: string
  readonly description?: string
  readonly chains?: string
  readonly 'max-payments'?: string
  readonly 'expires-at'?: string
  readonly picture?: string
  readonly active?: boolean
  readonly json?: boolean
}

const ofCreate = [
  'amount',
  'description',
  'chains',
  'max-payments',
  'expires-at',
  'picture',
] as const

/** @throws UsageError */
export function readLink(action: string | undefined, flags: LinkFlags): LinkCommand {
  const { json = false, active = false } = flags
  if (action === 'create') {
    if (active) throw new UsageError('--active is for link list.')
    return { action, params: readParams(flags), json }
  }
  if (action === 'list') {
    const surplus = ofCreate.find((flag) => flags[flag] !== undefined)
    if (surplus) throw new UsageError(`--${surplus} is for link create.`)
    return { action, active, json }
  }
  throw new UsageError('link needs a subcommand: create or list.')
}

function readParams(flags: LinkFlags): CreatePaymentLink {
  const { amount, description, chains, picture } = flags
  const { 'max-payments': maxPayments, 'expires-at': expiresAt } = flags
  if (amount === undefined) {
    throw new UsageError(
      '--amount is missing: like 40.00, or open, which lets the payer name the amount.',
    )
  }
  if (!description) throw new UsageError('--description is missing: the text that payers see.')
  return {
    amount_units: amount === 'open' ? null : readAmount(amount),
    description,
    ...(chains === undefined ? {} : { chains: readChains(chains) }),
    ...(maxPayments === undefined ? {} : { max_payments: readCount(maxPayments) }),
    ...(expiresAt === undefined ? {} : { expires_at: readTime('--expires-at', expiresAt) }),
    ...(picture === undefined ? {} : { picture: readPicture(picture) }),
  }
}

function readAmount(text: string): number {
  try {
    const units = toUnits(text)
    if (units > 0) return units
  } catch {}
  throw new UsageError('--amount must be an amount of USDC, like 40.00, or open.')
}

function readChains(text: string): CreatePaymentLink['chains'] {
  const chains = text.split(',').map((chain) => chain.trim())
  const parsed = chainSchema.array().safeParse(chains)
  if (parsed.success) return parsed.data
  const chainNames = chainSchema.options.join(',')
  throw new UsageError(`--chains must be one or more of these, separated by commas: ${chainNames}`)
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError('--max-payments must be a number, at least 1.')
}
