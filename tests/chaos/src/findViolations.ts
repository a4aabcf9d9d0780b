import { foreignReads, leakedSecrets, writesWithoutLease } from './checks/boundaries.ts'
import { lostCreations, repeatedCreations } from './checks/creations.ts'
import { illegalTransitions, missingEvents } from './checks/eventViolations.ts'
import { failedDeliveries } from './checks/failedDeliveries.ts'
import {
  creditViolations,
  unpaidSuccesses,
  unreportedTransfers,
  unsettledOrders,
} from './checks/money.ts'
import type { TrialRecord } from './trialRecord.ts'
import type { Violation } from './violation.ts'

const checks = [
  lostCreations,
  repeatedCreations,
  unpaidSuccesses,
  unreportedTransfers,
  illegalTransitions,
  missingEvents,
  failedDeliveries,
  creditViolations,
  foreignReads,
  leakedSecrets,
  writesWithoutLease,
  unsettledOrders,
  endedServers,
]

/** Every invariant that a run has broken. They are stated here once more: none of the server's rules is used. */
export function findViolations(record: TrialRecord): Violation[] {
  return checks.flatMap((check) => check(record))
}

function endedServers({ ended }: TrialRecord): Violation[] {
  return ended.map((about) => ({ invariant: 'unsettled', about }))
}
