import {
  type AuthorizeRefund,
  type CreateRefund,
  chainFacts,
  type Refund,
  usdcDomainVersion,
} from '@payment-intents/contract'
import { isPaymentIntentsError, PaymentIntentsError, rejected } from '../errors/errors.ts'

type Hex = `0x${string}`

/** A transfer of USDC to be signed (EIP-712, EIP-3009). */
export type RefundToSign = {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Hex
  }
  readonly types: {
    readonly TransferWithAuthorization: readonly {
      readonly name: string
      readonly type: string
    }[]
  }
  readonly primaryType: 'TransferWithAuthorization'
  readonly message: {
    readonly from: Hex
    readonly to: Hex
    /** Units of 0.000001 USDC. */
    readonly value: bigint
    readonly validAfter: bigint
    /** Unix seconds. */
    readonly validBefore: bigint
    readonly nonce: Hex
  }
}

/** A wallet that signs refunds: an account of viem, or what asks a key management service. */
export type RefundSigner = {
  readonly address: Hex
  signTypedData(typedData: RefundToSign): Promise<Hex>
}

type Calls = {
  readonly signer: RefundSigner
  readonly retrieve: (id: string) => Promise<Refund>
  readonly authorize: (id: string, signed: AuthorizeRefund) => Promise<Refund>
}

/** @see https://eips.ethereum.org/EIPS/eip-3009 */
const types: RefundToSign['types'] = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
}

/** No signature is valid for longer than the service asks for, and some minutes for clocks that differ. */
const longestSeconds = 30 * 60
/** A signature whose time was over when it came is made again. */
const tries = 3

/** @throws PaymentIntentsError `invalid_body` */
export function checkSigner(signer: unknown): void {
  const { address, signTypedData } = Object(signer)
  const isAddress = typeof address === 'string' && /^0x[a-fA-F0-9]{40}$/.test(address)
  if (isAddress && typeof signTypedData === 'function') return
  const message =
    '`signer` must have an `address` and a function `signTypedData`, such as an account of viem'
  throw rejected('invalid_body', `Nothing was sent, since an option is wrong: ${message}.`, [
    { path: 'signer', message },
  ])
}

/**
 * Signs a refund and submits the signature. Signing again is safe: the token takes the refund's nonce once from an account.
 *
 * @returns the refund, unsigned where nothing is to be signed
 * @throws PaymentIntentsError
 */
export async function signRefund(
  created: Refund,
  params: CreateRefund,
  { signer, retrieve, authorize }: Calls,
): Promise<Refund> {
  // A stored response says nothing of what has become of the refund since.
  let refund = created.typed_data ? created : await retrieve(created.id)
  for (let tried = 1; ; tried += 1) {
    if (!refund.typed_data || params.destination === undefined) return refund
    const message = messageOf(refund, params, signer.address)
    const signature = await sign(signer, refund, message)
    const { value, validAfter, validBefore, ...rest } = message
    const authorization = {
      ...rest,
      ...{ value: String(value), validAfter: String(validAfter) },
      validBefore: String(validBefore),
    }
    try {
      return await authorize(refund.id, { authorization, signature })
    } catch (error) {
      if (tried === tries || !isLate(error)) throw error
      refund = await retrieve(refund.id)
    }
  }
}

/**
 * What is signed: what the caller asked for, in the words of the service where the caller said nothing.
 *
 * @throws PaymentIntentsError `invalid_response` if the service asks for anything else
 */
function messageOf(refund: Refund, params: CreateRefund, from: Hex): RefundToSign['message'] {
  const { typed_data: asked, amount_units: units, refund_reference: nonce } = refund
  const domain = domainOf(refund)
  const validBefore = Number(asked?.message.validBefore)
  const expected: [name: string, isSo: boolean][] = [
    ['payment_intent', refund.payment_intent === (params.payment_intent ?? null)],
    ['transfer', refund.transfer === (params.transfer ?? null)],
    ['amount_units', units === (params.amount_units ?? units) && units > 0],
    ['destination', isSame(refund.destination, params.destination)],
    ['typed_data.domain.name', asked?.domain.name === domain.name],
    ['typed_data.domain.version', asked?.domain.version === domain.version],
    ['typed_data.domain.chainId', asked?.domain.chainId === domain.chainId],
    [
      'typed_data.domain.verifyingContract',
      isSame(asked?.domain.verifyingContract, domain.verifyingContract),
    ],
    ['typed_data.types', JSON.stringify(asked?.types) === JSON.stringify(types)],
    ['typed_data.primaryType', asked?.primaryType === 'TransferWithAuthorization'],
    ['typed_data.message.to', isSame(asked?.message.to, params.destination)],
    ['typed_data.message.value', asked?.message.value === String(units)],
    ['typed_data.message.validAfter', asked?.message.validAfter === '0'],
    ['typed_data.message.validBefore', isSoon(refund, validBefore)],
    ['typed_data.message.nonce', asked?.message.nonce === nonce],
  ]
  const wrong = expected.filter(([, isSo]) => !isSo).map(([name]) => name)
  if (wrong.length > 0) {
    throw new PaymentIntentsError({
      code: 'invalid_response',
      message: `Nothing was signed: the service asks to sign something else than this refund (${wrong.join(', ')}). Check baseUrl, and who runs the service.`,
    })
  }
  return {
    ...{ from, to: params.destination as Hex, value: BigInt(units), validAfter: 0n },
    ...{ validBefore: BigInt(validBefore), nonce: nonce as Hex },
  }
}

/** A chain for tests may have a time of its own. */
function isSoon({ mode }: Refund, validBefore: number): boolean {
  const seconds = validBefore - Date.now() / 1_000
  return mode === 'mainnet' ? seconds < longestSeconds : Number.isInteger(validBefore)
}

function domainOf({ mode, chain }: Refund): RefundToSign['domain'] {
  const { usdcDomainName: name, chainId, usdc } = chainFacts(mode, chain)
  return { name, version: usdcDomainVersion, chainId, verifyingContract: usdc }
}

/** The signer's error may hold its key, so nothing of it is kept. */
async function sign(
  signer: RefundSigner,
  refund: Refund,
  message: RefundToSign['message'],
): Promise<Hex> {
  const typedData = { domain: domainOf(refund), types, message } as const
  try {
    const primaryType = 'TransferWithAuthorization'
    const signature = await signer.signTypedData({ ...typedData, primaryType })
    if (/^0x([a-fA-F0-9]{2}){64,4096}$/.test(signature)) return signature
  } catch {
    // Reported below, without the signer's words.
  }
  throw new PaymentIntentsError({
    code: 'signer_failed',
    message: `The signer gave no signature. The refund ${refund.id} waits for one: repeat the call with the same idempotencyKey.`,
    retryable: true,
  })
}

/** The time of the signature was over when the service checked it. */
function isLate(error: unknown): boolean {
  return (
    isPaymentIntentsError(error) &&
    error.issues.some(({ path }) => path === 'authorization.validBefore')
  )
}

function isSame(a: string | null | undefined, b: string | undefined): boolean {
  return typeof a === 'string' && a.toLowerCase() === b?.toLowerCase()
}
