import type { Hex } from 'viem'

/** The key of an account's nonce, which the token accepts once. */
export function authorizationKey(authorizer: string, nonce: Hex): string {
  return `${authorizer}:${nonce}`
}
