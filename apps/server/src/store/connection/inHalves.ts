import { classifyDbError } from '../../lib/classifyDbError.ts'

/**
 * Processes all items at once. If that fails, processes each half, and so on, so that only the faulty item fails.
 * @param work rejects only if nothing was done
 * @param options.onFailure called for each item that fails alone
 * @param options.endsAll whether an error concerns no single item; by default the database's temporary faults
 * @throws the first error that concerns no single item
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
