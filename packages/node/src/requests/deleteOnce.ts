import { isPaymentIntentsError } from '../errors/paymentIntentsError.ts'
import type { ReadOptions } from '../options/clientOptions.ts'

type Deleted = { id: string; deleted: true }
type Delete = (id: string, options?: ReadOptions) => Promise<Deleted>

/** A deletion that succeeds if an earlier attempt, whose response was lost or late, deleted the object. */
export function deleteOnce(remove: Delete): Delete {
  return async (id, options) => {
    try {
      return await remove(id, options)
    } catch (error) {
      const isDeleted = isPaymentIntentsError(error) && error.code === 'not_found'
      if (isDeleted && error.attempts > 1) return { id, deleted: true }
      throw error
    }
  }
}
