/** State that a script can leave in the page; two equal traces mean that nothing was left. */
export type Traces = {
  document: string
  globals: readonly string[]
  /** Event types on targets that outlive a checkout: the window, the document, media queries and so on. */
  listeners: readonly string[]
  timers: number
  observers: number
  channels: number
  sheets: number
  locks: number
  scroll: string
}

export type Probe = { traces: () => Promise<Traces> }

/**
 * Counts the traces that a script can leave behind; runs before all other scripts of the page. Listeners on nodes and
 * signals of the checkout are collected with them and counted by the memory tests.
 */
export function installProbe(): void {
  const listeners = new Map<EventTarget, Map<string, number>>()
  const timers = new Set<unknown>()
  const observers = new Set<unknown>()
  const channels = new Set<unknown>()
  const { addEventListener, removeEventListener } = EventTarget.prototype
  // Weak, so that the probe keeps nothing alive.
  const wrappers = new WeakMap<object, Map<string, () => void>>()

  const outlives = (target: EventTarget) =>
    !(target instanceof AbortSignal) &&
    (!(target instanceof Element) ||
      target === document.documentElement ||
      target === document.body)

  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = (this ?? window) as EventTarget
    addEventListener.call(target, type, listener, options)
    if (!listener || !outlives(target)) return
    const { signal, once, capture } =
      typeof options === 'object' ? options : { signal: undefined, once: false, capture: options }
    if (signal?.aborted) return
    const key = `${type} ${Boolean(capture)}`
    const counts = listeners.get(target) ?? new Map<string, number>()
    listeners.set(target, counts)
    const ends = wrappers.get(listener) ?? new Map<string, () => void>()
    wrappers.set(listener, ends)
    if (ends.has(key)) return
    counts.set(type, (counts.get(type) ?? 0) + 1)
    const end = () => {
      if (!ends.delete(key)) return
      counts.set(type, (counts.get(type) ?? 0) - 1)
      if ([...counts.values()].every((count) => count === 0)) listeners.delete(target)
    }
    ends.set(key, end)
    if (signal) addEventListener.call(signal, 'abort', end)
    if (once) addEventListener.call(target, type, end, { once: true })
  }
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    removeEventListener.call(this ?? window, type, listener, options)
    const capture = typeof options === 'object' ? options.capture : options
    if (listener) wrappers.get(listener)?.get(`${type} ${Boolean(capture)}`)?.()
  }

  const { setTimeout, clearTimeout, setInterval, clearInterval } = window
  const { requestAnimationFrame, cancelAnimationFrame } = window
  type Run = (...parameters: unknown[]) => void
  const starting =
    (start: (run: Run, ...rest: never[]) => unknown, once: boolean) =>
    (run: Run, ...rest: never[]) => {
      const id = start(
        (...parameters) => {
          if (once) timers.delete(id)
          run(...parameters)
        },
        ...rest,
      )
      timers.add(id)
      return id
    }
  const ending = (end: (id: number) => void) => (id: number) => {
    timers.delete(id)
    end(id)
  }
  const observing = <Kind extends new (...parameters: never[]) => object>(Kind: Kind) =>
    class extends (Kind as unknown as new (...parameters: unknown[]) => { disconnect(): void }) {
      constructor(...parameters: unknown[]) {
        super(...parameters)
        observers.add(this)
      }
      override disconnect() {
        observers.delete(this)
        super.disconnect()
      }
    }
  Object.assign(window, {
    setTimeout: starting(setTimeout as never, true),
    setInterval: starting(setInterval as never, false),
    requestAnimationFrame: starting(requestAnimationFrame as never, true),
    clearTimeout: ending(clearTimeout),
    clearInterval: ending(clearInterval),
    cancelAnimationFrame: ending(cancelAnimationFrame),
    MutationObserver: observing(MutationObserver),
    ResizeObserver: observing(ResizeObserver),
    IntersectionObserver: observing(IntersectionObserver),
    BroadcastChannel: class extends BroadcastChannel {
      constructor(name: string) {
        super(name)
        channels.add(this)
      }
      override close() {
        channels.delete(this)
        super.close()
      }
    },
  })

  const probe: Probe = {
    async traces() {
      const locks = await navigator.locks?.query()
      return {
        document: document.documentElement.outerHTML,
        globals: Object.getOwnPropertyNames(window).sort(),
        listeners: [...listeners.values()]
          .flatMap((counts) => [...counts])
          .filter(([, count]) => count > 0)
          .map(([type, count]) => `${type} × ${count}`)
          .sort(),
        timers: timers.size,
        observers: observers.size,
        channels: channels.size,
        sheets: document.adoptedStyleSheets.length + document.styleSheets.length,
        locks: (locks?.held?.length ?? 0) + (locks?.pending?.length ?? 0),
        scroll: getComputedStyle(document.documentElement).overflow,
      }
    },
  }
  Object.assign(window, { probe })
}
