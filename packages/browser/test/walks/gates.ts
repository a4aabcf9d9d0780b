import type { Traces } from '../support/pageProbe.ts'
import type { ShopWindow } from '../support/shopPage.ts'
import type { Journey } from './journeys.ts'

/** Where a checkout was closed, and what happened afterwards. */
export type Stop = {
  at: string
  /** The callbacks, in order. */
  callbacks: string[]
  /** Requests to the wallet after the checkout was closed. */
  askedAfter: string[]
  timersLeft: number
  /** Traces that differ from those before opening. */
  left: string[]
}

export type Gates = {
  /** Runs the whole journey and returns the names of its gates. */
  walk: (journey: Journey) => Promise<string[]>
  /** Runs up to a gate, and closes just before or after it opens. */
  stop: (
    journey: Journey,
    gate: number,
    moment: 'before' | 'after',
    patience: number,
  ) => Promise<Stop>
  failures: string[]
}

/**
 * Turns everything the checkout awaits in the page into a gate: answers and bodies of the service, answers of
 * the wallet, the clipboard, locks, animations and timers. A journey opens them one by one, timers last. Runs
 * before all scripts of the page but the probe.
 */
export function installGates(): void {
  type Gate = { name: string; open: () => void }
  type Timer = Gate & { id: number; due: number }
  let gates: Gate[] = []
  let timers: Timer[] = []
  let now = 0
  let lastTimer = 1_000_000
  /** Requests that the service answers without holding them. */
  let coming = 0
  let answers = 0
  const failures: string[] = []
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout, fetch: realFetch } = window
  /** Lets all queued work of the page run. */
  const task = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
  /** Also lets the browser's other processes respond. */
  const pause = () => new Promise((resolve) => realSetTimeout(resolve))
  const gate = (name: string) =>
    new Promise<void>((open) => {
      gates.push({ name, open })
    })

  window.addEventListener('error', ({ message }) => failures.push(message))
  window.addEventListener('unhandledrejection', ({ reason }) => failures.push(String(reason)))

  window.fetch = async (input, init) => {
    const { after_version = 0 } = JSON.parse(String(init?.body ?? '{}'))
    let isComing = after_version < answers
    coming += Number(isComing)
    const came = () => {
      coming -= Number(isComing)
      isComing = false
    }
    const aborted = new Promise<never>((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    )
    aborted.catch(came)
    const name = String(input).split('/').at(-1)
    const response = await realFetch(input, init).catch((error) => {
      came()
      throw error
    })
    await Promise.race([gate(`answer of ${name}`), aborted])
    for (const read of ['text', 'json'] as const) {
      const real = response[read].bind(response)
      response[read] = async () => {
        const body = await real().finally(came)
        await Promise.race([gate(`body of ${name}`), aborted])
        return body
      }
    }
    return response
  }
  window.setTimeout = ((run: () => void, ms = 0) => {
    const id = ++lastTimer
    timers.push({ name: `timer of ${ms} ms`, id, due: now + ms, open: run })
    return id
  }) as typeof setTimeout
  window.clearTimeout = ((id: number) => {
    timers = timers.filter((timer) => timer.id !== id)
    realClearTimeout(id)
  }) as typeof clearTimeout

  // The checkout's clock redraws each second, and a redraw restarts a held animation: an extra gate on a slow machine.
  const clocks = new Set<number>()
  window.setInterval = ((_: () => void) => {
    clocks.add(++lastTimer)
    return lastTimer
  }) as unknown as typeof setInterval
  window.clearInterval = ((id: number) => clocks.delete(id)) as typeof clearInterval

  const { animate } = Element.prototype
  Element.prototype.animate = function (...given) {
    const animation = animate.apply(this, given)
    animation.pause()
    gate('animation').then(() => animation.finish())
    return animation
  }
  Clipboard.prototype.writeText = () => gate('clipboard')
  const { request } = LockManager.prototype
  LockManager.prototype.request = function (this: LockManager, name: string, ...rest: unknown[]) {
    const callback = rest.pop() as (lock: Lock | null) => unknown
    coming += 1
    const gated = async (lock: Lock | null) => {
      coming -= 1
      await gate('lock')
      return callback(lock)
    }
    return (request as (...given: unknown[]) => Promise<unknown>).call(this, name, ...rest, gated)
  } as typeof request

  let runs = 0

  function begin(journey: Journey) {
    const { openServiceModal } = window as unknown as ShopWindow
    gates = []
    timers = []
    clocks.clear()
    answers = journey.answers
    runs += 1
    const asked: string[] = []
    const counts = new Map<string, number>()
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const [first] = (params ?? []) as { data?: string }[]
        const key = method === 'eth_call' ? `eth_call ${first?.data?.slice(0, 10)}` : method
        asked.push(key)
        await gate(`wallet ${key}`)
        const list = journey.wallet[key] ?? [{ refuses: { code: 4200 } }]
        const index = counts.get(key) ?? 0
        counts.set(key, index + 1)
        const answer = list[Math.min(index, list.length - 1)]
        if (answer && 'refuses' in answer) throw answer.refuses
        return answer?.says
      },
    }
    const clientSecret = `pi_${runs}_secret_${runs}`
    const checkout = openServiceModal({
      clientSecret,
      ...(journey.locale ? { locale: journey.locale } : {}),
      wallets: [{ name: 'Own', provider }],
    })
    const way = {
      checkout,
      clientSecret,
      asked,
      clicks: [...journey.clicks],
      fired: 0,
      arrived: false,
    }
    checkout.closed.then(() => {
      way.arrived = true
    })
    return way
  }

  const inCheckout = (selector: string) => {
    const host = [...document.body.children].find(({ shadowRoot }) => shadowRoot)
    return host?.shadowRoot?.querySelector<HTMLElement>(selector)
  }

  /** The next gate to open; `null` at the end of the journey. */
  async function next(journey: Journey, way: ReturnType<typeof begin>): Promise<Gate | null> {
    for (;;) {
      await task()
      const [first] = gates
      if (first) return first
      const target = way.clicks[0] && inCheckout(way.clicks[0])
      if (target) {
        way.clicks.shift()
        target.click()
        continue
      }
      if (journey.end && way.clicks.length === 0 && inCheckout(journey.end)) way.arrived = true
      if (coming > 0) continue
      const [timer] = timers.toSorted((a, b) => a.due - b.due)
      if (timer && way.fired < journey.timers) {
        way.fired += 1
        return timer
      }
      if (way.arrived) return null
    }
  }

  function pass(one: Gate) {
    gates = gates.filter((other) => other !== one)
    if ('due' in one) {
      const timer = one as Timer
      timers = timers.filter(({ id }) => id !== timer.id)
      now = timer.due
    }
    one.open()
  }

  /** Opens all gates until no new one appears. */
  async function settle() {
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await pause()
      if (gates.length === 0 && coming === 0) continue
      for (const one of [...gates]) pass(one)
      quiet = -1
    }
  }

  /** The browser releases locks asynchronously; what waits for a frame to be drawn ends with that. */
  async function atRest(locks: number, patience: number): Promise<Traces> {
    const { probe } = window as unknown as ShopWindow
    const deadline = performance.now() + patience
    for (;;) {
      const traces = await probe.traces()
      const isAtRest = traces.locks <= locks && traces.observers === 0
      if (isAtRest || performance.now() > deadline) return traces
      await settle()
    }
  }

  const differences = (before: Traces, after: Traces) =>
    Object.entries(after)
      .filter(([name, now]) => String(now) !== String(before[name as keyof Traces]))
      .map(([name, now]) => `${name}: ${now}`)

  const api: Gates = {
    failures,
    async walk(journey) {
      const names: string[] = []
      const way = begin(journey)
      for (;;) {
        const one = await next(journey, way)
        if (!one) break
        names.push(one.name)
        pass(one)
      }
      way.checkout.close()
      await settle()
      localStorage.clear()
      return names
    },
    async stop(journey, gateNumber, moment, patience) {
      const { shop } = window as unknown as ShopWindow
      const before = await atRest(Number.POSITIVE_INFINITY, patience)
      const way = begin(journey)
      const { checkout, clientSecret, asked } = way
      const passed: string[] = []
      let at = ''
      for (let number = 0; number <= gateNumber; number += 1) {
        const one = await next(journey, way)
        passed.push(one?.name ?? 'the end')
        if (!one) throw new Error(`Gate ${gateNumber} was not reached: ${passed.join(', ')}.`)
        at = `${moment} ${one.name}`
        if (number < gateNumber || moment === 'after') pass(one)
      }
      checkout.close()
      const askedBefore = asked.length
      await settle()
      await checkout.closed
      const after = await atRest(before.locks, patience)
      localStorage.clear()
      const calls = shop.callbackCalls.filter(([, secret]) => secret === clientSecret)
      return {
        at,
        callbacks: calls.map(([name]) => name),
        askedAfter: asked.slice(askedBefore),
        timersLeft: timers.length + clocks.size,
        left: differences(before, after),
      }
    },
  }
  Object.assign(window, { gates: api })
}
