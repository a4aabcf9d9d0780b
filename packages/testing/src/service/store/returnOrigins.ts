import type { ReturnOriginStore } from '@payment-intents/core'
import type { Records } from './records.ts'

/** The origins that pages may lead back to. */
export function createReturnOrigins({
  returnOrigins,
}: Pick<Records, 'returnOrigins'>): ReturnOriginStore {
  return {
    list: async () => returnOrigins.toSorted((a, b) => (a.origin < b.origin ? -1 : 1)),
    async insert(_actor, added, max) {
      const before = returnOrigins.find(({ origin }) => origin === added.origin)
      if (before) return before
      if (returnOrigins.length >= max) return 'too_many'
      returnOrigins.push(added)
      return added
    },
    async delete(_actor, id) {
      const index = returnOrigins.findIndex((each) => each.id === id)
      if (index >= 0) returnOrigins.splice(index, 1)
      return index >= 0
    },
  }
}
