import { type Address, getAddress } from 'viem'

/** Far more than the tokens and wallets that are asked for at one time. */
const most = 10_000
const known = new Map<string, Address>()

/** An address with its checksum (EIP-55), remembered: an answer has several, and mostly those of the answer before. */
export function checksummed(address: string): Address {
  const before = known.get(address)
  if (before) return before
  const written = getAddress(address)
  if (known.size >= most) known.clear()
  known.set(address, written)
  return written
}
