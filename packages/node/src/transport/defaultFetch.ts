import { type Dispatcher, dispatch, type Init } from './dispatch.ts'

type Fetch = typeof globalThis.fetch

/**
 * `globalThis.fetch`, looked up at each call so that later patches (mocks, tracers) take effect. While it is Node's
 * own, the request goes directly to the dispatcher that it would use.
 */
export const defaultFetch = ((input: string, init: Init) => {
  const dispatcher = nodesDispatcher()
  return dispatcher ? dispatch(dispatcher, input, init) : globalThis.fetch(input, init)
}) as Fetch

let known: { readonly fetch: Fetch; readonly isNodes: boolean } | undefined

function nodesDispatcher(): Dispatcher | undefined {
  const { fetch } = globalThis
  if (known?.fetch !== fetch) known = { fetch, isNodes: isNodes(fetch) }
  return known.isNodes ? (globalThis as Scope)[dispatcherSymbol] : undefined
}

const dispatcherSymbol = Symbol.for('undici.globalDispatcher.1')

type Scope = { readonly [dispatcherSymbol]?: Dispatcher }

/** Recognised by its source: in Node.js 20 to 24 it loads undici from an internal module. */
function isNodes(fetch: Fetch): boolean {
  return Function.prototype.toString.call(fetch).includes("require('internal/deps/undici/undici')")
}
