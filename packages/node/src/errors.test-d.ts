import type * as browser from './browser.ts'
import type { PaymentIntentsError } from './errors.ts'
import type * as index from './index.ts'

/** Compiles because every code has a case: nothing falls through to an implicit return. */
export function complete({ code }: PaymentIntentsError): string {
  switch (code) {
    case 'invalid_body':
    case 'wallet_invalid':
    case 'api_key_missing':
    case 'api_key_invalid':
    case 'merchant_not_found':
    case 'conflict':
    case 'internal_error':
    case 'intent_not_found':
    case 'rate_limited':
    case 'not_found':
      return 'the service said so'
    case 'network_error':
    case 'timeout':
    case 'aborted':
    case 'invalid_response':
    case 'unexpected_status':
      return 'the service said nothing'
  }
}

export function incomplete({ code }: PaymentIntentsError): string {
  switch (code) {
    case 'invalid_body':
      return 'handled'
    default:
      // @ts-expect-error fourteen codes are left
      return code satisfies never
  }
}

export function unknown({ code }: PaymentIntentsError): boolean {
  // @ts-expect-error no such code
  return code === 'method_not_allowed'
}

/** What the `browser` condition resolves to has the names of the index, or bundlers would stop at a missing one. */
export const sameNames: keyof typeof index extends keyof typeof browser ? true : never = true
