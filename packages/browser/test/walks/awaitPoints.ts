import type { Traces } from '../support/pageProbe.ts'
import type { ShopWindow } from '../support/shopPage.ts'
import type { Journey } from './journeys.ts'

/** The point at which a checkout was closed, and the events afterwards. */
export type Stop = {
  at: string
  /** The callbacks, in order. */
  callbacks: string[]
  /** Requests to the wallet after the checkout was closed. */
  callsAfter: string[]
  remainingTimers: number
  /** Traces that differ from those before opening. */
  remainingTraces: string[]
}

export type AwaitPoints = {
  /** Runs the whole journey and returns the names of its gates. */
  walk: (journey: Journey) => Promise<string[]>
  /** Runs up to a gate, and closes just before or after it opens. */
  stop: (
    journey: Journey,
    index: number,
    moment: 'before' | 'after',
    patience: number,
  ) => Promise<Stop>
  failures: string[]
}

/**
 * Turns everything the checkout awaits in the page into a gate: responses and bodies of the service, responses of
 * the wallet, the clipboard, locks, animations and timers. A journey opens the gates in turn, timers last. Runs
 * before all scripts of the page but the probe.
 */
export function installAwaitPoints(): void {
  type AwaitPoint = { name: string; open: () => void }
  type Timer = AwaitPoint & { id: number; due: number }
  let awaitPoints: AwaitPoint[] = []
  let timers: Timer[] = []
  let now = 0
  let lastTimer = 1_000_000
  /** Requests that the service responds to without holding them. */
  let coming = 0
  let responses = 0
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
  const awaitPoint = (name: string) =>
    new Promise<void>((open) => {
      awaitPoints.push({ name, open })
    })

  window.addEventListener('error', ({ message }) => failures.push(message))
  window.addEventListener('unhandledrejection', ({ reason }) => failures.push(String(reason)))

  window.fetch = async (input, init) => {
    const { after_version = 0 } = JSON.parse(String(init?.body ?? '{}'))
    let isComing = after_version < responses
    coming += Number(isComing)
    const reach = () => {
      coming -= Number(isComing)
      isComing = false
    }
    const aborted = new Promise<never>((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    )
    aborted.catch(reach)
    const name = String(input).split('/').at(-1)
    const response = await realFetch(input, init).catch((error) => {
      reach()
      throw error
    })
    await Promise.race([awaitPoint(`response of ${name}`), aborted])
    for (const read of ['text', 'json'] as const) {
      const real = response[read].bind(response)
      response[read] = async () => {
        const body = await real().finally(reach)
        await Promise.race([awaitPoint(`body of ${name}`), aborted])
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
  Element.prototype.animate = function (...keyframes) {
    const animation = animate.apply(this, keyframes)
    animation.pause()
    awaitPoint('animation').then(() => animation.finish())
    return animation
  }
  Clipboard.prototype.writeText = () => awaitPoint('clipboard')
  const { request } = LockManager.prototype
  LockManager.prototype.request = function (this: LockManager, name: string, ...rest: unknown[]) {
    const callback = rest.pop() as (lock: Lock | null) => unknown
    coming += 1
    const gatedCallback = async (lock: Lock | null) => {
      coming -= 1
      await awaitPoint('lock')
      return callback(lock)
    }
    return (request as (...keyframes: unknown[]) => Promise<unknown>).call(
      this,
      name,
      ...rest,
      gatedCallback,
    )
  } as typeof request

  let runs = 0

  function begin(journey: Journey) {
    const { openServiceModal } = window as unknown as ShopWindow
    awaitPoints = []
    timers = []
    clocks.clear()
    responses = journey.responseCount
    runs += 1
    const serviceCalls: string[] = []
    const counts = new Map<string, number>()
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const [first] = (params ?? []) as { data?: string }[]
        const key = method === 'eth_call' ? `eth_call ${first?.data?.slice(0, 10)}` : method
        serviceCalls.push(key)
        await awaitPoint(`wallet ${key}`)
        const list = journey.wallet[key] ?? [{ rejection: { code: 4200 } }]
        const index = counts.get(key) ?? 0
        counts.set(key, index + 1)
        const reply = list[Math.min(index, list.length - 1)]
        if (reply && 'rejection' in reply) throw reply.rejection
        return reply?.result
      },
    }
    const clientSecret = `pi_${runs}_secret_${runs}`
    const checkout = openServiceModal({
      clientSecret,
      ...(journey.locale ? { locale: journey.locale } : {}),
      wallets: [{ name: 'Own', provider }],
    })
    const record = {
      checkout,
      clientSecret,
      serviceCalls,
      clicks: [...journey.clicks],
      fired: 0,
      arrived: false,
    }
    checkout.closed.then(() => {
      record.arrived = true
    })
    return record
  }

  const inCheckout = (selector: string) => {
    const host = [...document.body.children].find(({ shadowRoot }) => shadowRoot)
    return host?.shadowRoot?.querySelector<HTMLElement>(selector)
  }

  /** The next gate to open; `null` at the end of the journey. */
  async function next(
    journey: Journey,
    record: ReturnType<typeof begin>,
  ): Promise<AwaitPoint | null> {
    for (;;) {
      await task()
      const [first] = awaitPoints
      if (first) return first
      const target = record.clicks[0] && inCheckout(record.clicks[0])
      if (target) {
        record.clicks.shift()
        target.click()
        continue
      }
      if (journey.end && record.clicks.length === 0 && inCheckout(journey.end))
        record.arrived = true
      if (coming > 0) continue
      const [timer] = timers.toSorted((a, b) => a.due - b.due)
      if (timer && record.fired < journey.timers) {
        record.fired += 1
        return timer
      }
      if (record.arrived) return null
    }
  }

  function release(item: AwaitPoint) {
    awaitPoints = awaitPoints.filter((other) => other !== item)
    if ('due' in item) {
      const timer = item as Timer
      timers = timers.filter(({ id }) => id !== timer.id)
      now = timer.due
    }
    item.open()
  }

  /** Opens all gates until no new one appears. */
  async function settle() {
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await pause()
      if (awaitPoints.length === 0 && coming === 0) continue
      for (const item of [...awaitPoints]) release(item)
      quiet = -1
    }
  }

  /** The browser releases locks asynchronously; work that waits for a frame ends with the release. */
  async function untilIdle(locks: number, patience: number): Promise<Traces> {
    const { probe } = window as unknown as ShopWindow
    const deadline = performance.now() + patience
    for (;;) {
      const traces = await probe.traces()
      const isIdle = traces.locks <= locks && traces.observers === 0
      if (isIdle || performance.now() > deadline) return traces
      await settle()
    }
  }

  const differences = (before: Traces, after: Traces) =>
    Object.entries(after)
      .filter(([name, now]) => String(now) !== String(before[name as keyof Traces]))
      .map(([name, now]) => `${name}: ${now}`)

  const api: AwaitPoints = {
    failures,
    async walk(journey) {
      const names: string[] = []
      const record = begin(journey)
      for (;;) {
        const item = await next(journey, record)
        if (!item) break
        names.push(item.name)
        release(item)
      }
      record.checkout.close()
      await settle()
      localStorage.clear()
      return names
    },
    async stop(journey, awaitPoint, moment, patience) {
      const { shop } = window as unknown as ShopWindow
      const before = await untilIdle(Number.POSITIVE_INFINITY, patience)
      const record = begin(journey)
      const { checkout, clientSecret, serviceCalls } = record
      const passedNames: string[] = []
      let at = ''
      for (let number = 0; number <= awaitPoint; number += 1) {
        const item = await next(journey, record)
        passedNames.push(item?.name ?? 'the end')
        if (!item) throw new Error(`Gate ${awaitPoint} was not reached: ${passedNames.join(', ')}.`)
        at = `${moment} ${item.name}`
        if (number < awaitPoint || moment === 'after') release(item)
      }
      checkout.close()
      const callsBefore = serviceCalls.length
      await settle()
      await checkout.closed
      const after = await untilIdle(before.locks, patience)
      localStorage.clear()
      const calls = shop.callbackCalls.filter(([, secret]) => secret === clientSecret)
      return {
        at,
        callbacks: calls.map(([name]) => name),
        callsAfter: serviceCalls.slice(callsBefore),
        remainingTimers: timers.length + clocks.size,
        remainingTraces: differences(before, after),
      }
    },
  }
  Object.assign(window, { awaitPoints: api })
}
