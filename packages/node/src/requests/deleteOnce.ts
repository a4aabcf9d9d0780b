import { isPaymentIntentsError } from '../errors/errors.ts'
import type { ReadOptions } from '../options/options.ts'

type Deleted = { id: string; deleted: true }
type Delete = (id: string, options?: ReadOptions) => Promise<Deleted>

/** A deletion that has succeeded where an earlier attempt, whose answer was lost or late, has deleted the object. */
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
