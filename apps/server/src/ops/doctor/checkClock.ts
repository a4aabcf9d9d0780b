import { type Finding, ok, warn } from './finding.ts'

/** @param aheadMs how far the newest block is ahead of this machine's clock */
export function checkClock(chain: string, host: string, aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (aheadMs > 5_000) {
    const summary = `this machine’s clock is ${seconds} s behind ${chain} at ${host}`
    return warn('clock', summary, 'set this machine’s clock by NTP')
  }
  if (aheadMs < -60_000) {
    const summary = `the latest block of ${chain} is ${seconds} s old at ${host}`
    const todo =
      'set this machine’s clock by NTP; if the clock is right, the provider is behind or the chain has stopped'
    return warn('clock', summary, todo)
  }
  return ok('clock', `this machine’s clock is within a minute of ${chain} at ${host}`)
}
