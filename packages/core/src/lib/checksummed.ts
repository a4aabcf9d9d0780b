import { type Address, getAddress } from 'viem'

/** Far more than the tokens and wallets in use at one time. */
const maxEntries = 10_000
const cache = new Map<string, Address>()

/** An address with its checksum (EIP-55), cached: a response has several, mostly those of the previous response. */
export function checksummed(address: string): Address {
  const before = cache.get(address)
  if (before) return before
  const written = getAddress(address)
  if (cache.size >= maxEntries) cache.clear()
  cache.set(address, written)
  return written
}
