import type { CDPSession, Page } from 'playwright-core'

// What one checkout makes at least one of. Nothing else of the test page makes any.
const kinds = ['AbortController', 'AbortSignal', 'ShadowRoot', 'HTMLDialogElement', 'CSSStyleSheet']

export type Memory = {
  /** Objects that something still holds on to, by kind. */
  alive: Record<string, number>
  nodes: number
  listeners: number
  heapBytes: number
}

/** Reads what is left after a full garbage collection, through the browser's own debugger. */
export async function openMemory(page: Page): Promise<() => Promise<Memory>> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('HeapProfiler.enable')
  return async () => {
    await debug.send('HeapProfiler.collectGarbage')
    const alive: Record<string, number> = {}
    for (const kind of kinds) alive[kind] = await count(debug, kind)
    const { nodes, jsEventListeners } = await debug.send('Memory.getDOMCounters')
    const { usedSize } = await debug.send('Runtime.getHeapUsage')
    return { alive, nodes, listeners: jsEventListeners, heapBytes: usedSize }
  }
}

async function count(debug: CDPSession, kind: string): Promise<number> {
  const objectGroup = 'counted'
  const evaluated = await debug.send('Runtime.evaluate', {
    expression: `${kind}.prototype`,
    objectGroup,
  })
  const { objects } = await debug.send('Runtime.queryObjects', {
    prototypeObjectId: evaluated.result.objectId ?? '',
    objectGroup,
  })
  const { result } = await debug.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { return this.length }',
    returnByValue: true,
  })
  await debug.send('Runtime.releaseObjectGroup', { objectGroup })
  return result.value
}
