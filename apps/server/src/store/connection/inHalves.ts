import { classifyDbError } from '../../lib/classifyDbError.ts'

/**
 * Processes all items at once. If that fails, processes each half alone, and so on, so that only faulty items fail.
 * @param work rejects only if it has done nothing
 * @param options.onFailure called for each item that fails alone
 * @param options.endsAll whether an error is no fault of an item; by default, temporary faults of the database are not
 * @throws the first error that is no fault of an item
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
