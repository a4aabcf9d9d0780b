/**
 * Gathers work that arrives together. What arrives while a batch runs is the next batch, so a lone item waits for
 * nothing.
 *
 * @param options.most items of one batch
 * @param options.run resolves to the result of each item, in the order of the items
 */
export function createBatcher<Item, Result>({
  most,
  run,
}: {
  most: number
  run(items: readonly Item[]): Promise<readonly Result[]>
}): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve(result: Result): void; reject(error: unknown): void }
  const waiting: Waiting[] = []
  let running = false

  async function runAll(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most)
      try {
        const results = await run(batch.map(({ item }) => item))
        if (results.length !== batch.length) throw new Error('A batch lost a result.')
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.push({ item, resolve, reject })
    if (!running) void runAll()
    return promise
  }
}
