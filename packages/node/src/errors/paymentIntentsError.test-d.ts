import type * as browser from '../browser.ts'
import type * as index from '../index.ts'
import type { PaymentIntentsError } from './paymentIntentsError.ts'

export function unknown({ code }: PaymentIntentsError): boolean {
  // @ts-expect-error no such code
  return code === 'method_not_allowed'
}

/** The `browser` entry exports every name of the index; otherwise bundlers would stop at a missing name. */
export const sameNames: keyof typeof index extends keyof typeof browser ? true : never = true
