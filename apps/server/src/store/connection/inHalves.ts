import { classifyDbError } from '../../lib/classifyDbError.ts'

/**
 * Works on all items at once. If that fails, works on each half, and so on, so that only the faulty item fails.
 *
 * @param work rejects only if nothing was done
 * @param options.onFailure called for each item that fails alone
 * @param options.endsAll whether an error is no item's; the database's passing trouble by default
 * @throws the first error that is no item's
 */
export async function inHalves<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
  {
    onFailure,
    endsAll = (error) => classifyDbError(error) !== null,
  }: {
    onFailure: (item: Item, error: unknown) => void
    endsAll?: (error: unknown) => boolean
  },
): Promise<void> {
  const [first] = items
  if (first === undefined) return
  try {
    await work(items)
  } catch (error) {
    if (endsAll(error)) throw error
    if (items.length === 1) return onFailure(first, error)
    const middle = Math.ceil(items.length / 2)
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      await inHalves(half, work, { onFailure, endsAll })
    }
  }
}
