import { type Finding, ok, warn } from './finding.ts'

/** @param aheadMs how far the newest block is ahead of this machine's clock */
export function checkClock(chain: string, host: string, aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (aheadMs > 5_000) {
    const summary = `this machine is ${seconds} s behind ${chain}, as ${host} has it`
    return warn('clock', summary, 'have NTP set this machine’s clock')
  }
  if (aheadMs < -60_000) {
    const summary = `the newest block of ${chain} is ${seconds} s old at ${host}`
    const todo =
      'have NTP set this machine’s clock; if it is right, the provider is behind or the chain halts'
    return warn('clock', summary, todo)
  }
  return ok('clock', `within a minute of ${chain}, as ${host} has it`)
}
