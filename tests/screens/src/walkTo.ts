import type { Entry } from './entry.ts'
import type { World } from './screensWorld.ts'
import { startWalk, type Walk } from './walk.ts'

/** Walks to a screen, inspects it, and leaves the world as it was. */
export async function walkTo<Value>(
  world: World,
  entry: Entry,
  options: Parameters<typeof startWalk>[2],
  look: (walk: Walk) => Promise<Value>,
): Promise<Value> {
  if (entry.chain) await world.runChain('by hand')
  const walk = await startWalk(world, entry, options)
  try {
    await entry.walk(walk)
    await walk.reach(entry.screen, entry.detail)
    // A checkout whose clock was moved takes the service's silence for too long.
    if (entry.kind !== 'trying') await walk.page.locator('.outage').waitFor({ state: 'detached' })
    return await look(walk)
  } finally {
    await entry.mend?.(walk)
    await walk.end()
    if (entry.chain) await world.runChain('by itself')
  }
}
