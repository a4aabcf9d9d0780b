import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

/** The CPU controller of Linux's control groups, version 1. */
const controller = '/sys/fs/cgroup/cpu'
const periodUs = 10_000

/**
 * Gives each process a share of a core of its own, as if it ran on a slower core.
 *
 * @returns ends that once the processes have ended; null where this machine or user cannot
 */
export function limitCpu(pids: readonly number[], fraction: number): (() => void) | null {
  try {
    const groups = pids.map((pid) => {
      const group = `${controller}/payment-intents-bench-${pid}`
      mkdirSync(group)
      writeFileSync(`${group}/cpu.cfs_period_us`, String(periodUs))
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(Math.round(periodUs * fraction)))
      writeFileSync(`${group}/cgroup.procs`, String(pid))
      return group
    })
    return () => {
      for (const group of groups) rmdirSync(group)
    }
  } catch (error) {
    console.error(`Processes are not limited: ${error}`)
    return null
  }
}
