import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, or mostly wait. If they started last, they would run alone at the end. */
const long = [
  'thirdParties.integration',
  'faultsTogether.integration',
  'follow.integration',
  'embedded.integration',
  'hostileAccounts.integration',
  'processes/workerProcesses',
  'standstill.integration',
  'unwritable',
  'clocks',
  'kills',
  'rollingRestart',
  'watchWrites.integration',
  'refusedRanges.integration',
  'stops',
  'claimedHead.integration',
  'x402Observers.integration',
  'relayKills',
  'refundKills',
  'completeness.integration',
  'outage.integration',
  'unreadable.integration',
  'main.integration',
  'relayFaults.integration',
  'flood.integration',
  'lists.integration',
].map((name) => `/${name}.test.ts`)

/** Starts with the slowest files. Without times of earlier runs, vitest would start with the largest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = long.findIndex((name) => moduleId.endsWith(name))
      return place === -1 ? long.length : place
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((specification, other) => rank(specification) - rank(other))
  }
}
