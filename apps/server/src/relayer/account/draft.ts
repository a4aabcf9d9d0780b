import { type Hex, keccak256, parseTransaction } from 'viem'
import type { NewTransaction } from '../../store/relaying/transactions.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Fees } from '../rpc/fees.ts'
import { type Call, emptyGas } from '../rpc/tokenCall.ts'
import type { Signer } from './openSigner.ts'

/** A transaction before it is signed. */
export type Draft = {
  readonly nonce: number
  readonly call: Call
  /** null: the transaction is empty, and only uses the nonce. */
  readonly authorizationId: string | null
  /** Hash of the payer's code; null: the payer has none, or the transaction is empty. */
  readonly codeHash: Hex | null
  readonly fees: Fees
}

/** A call without value from the account to itself: it only uses a nonce. */
export function emptyCall({ address }: Signer): Call {
  return { to: address, data: '0x', gas: emptyGas }
}

/** The call of a signed transaction; null: the transaction cannot be parsed. */
export function callOf(raw: Hex): Call | null {
  try {
    const { to, data = '0x', gas } = parseTransaction(raw)
    return to && gas ? { to, data, gas } : null
  } catch {
    return null
  }
}

export function signAll(
  { facts, signer }: Pick<RelayContext, 'facts' | 'signer'>,
  drafts: readonly Draft[],
): Promise<NewTransaction[]> {
  return Promise.all(
    drafts.map(async ({ nonce, call, fees, ...carried }) => {
      const raw = await signer.sign({ chainId: facts.chainId, nonce, ...call, fees })
      const gasLimit = call.gas
      return { txHash: keccak256(raw), nonce, raw, gasLimit, ...carried, ...fees }
    }),
  )
}
