import type { CDPSession, Page } from 'playwright-core'

// A checkout creates at least one of each. The rest of the test page creates none.
const kinds = ['AbortController', 'AbortSignal', 'ShadowRoot', 'HTMLDialogElement', 'CSSStyleSheet']

type Memory = {
  /** Objects that are still reachable, by kind. */
  alive: Record<string, number>
  nodes: number
  listeners: number
}

type Reader = { memory(): Promise<Memory>; heapBytes(): Promise<number> }

/** Reads memory after a full garbage collection, through the browser's debugger; each kind takes a collection more. */
export async function openMemory(page: Page): Promise<Reader> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('HeapProfiler.enable')
  return {
    async memory() {
      await debug.send('HeapProfiler.collectGarbage')
      const alive: Record<string, number> = {}
      for (const kind of kinds) alive[kind] = await count(debug, kind)
      const { nodes, jsEventListeners } = await debug.send('Memory.getDOMCounters')
      return { alive, nodes, listeners: jsEventListeners }
    },
    async heapBytes() {
      await debug.send('HeapProfiler.collectGarbage')
      return (await debug.send('Runtime.getHeapUsage')).usedSize
    },
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
