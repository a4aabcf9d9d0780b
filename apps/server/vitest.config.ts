import { project } from '../../tests/support/project.ts'
import { LongestFirst } from './test/longestFirst.ts'

// Its tests wait for processes and clocks for most of their time: run three at a time, even on two cores.
export default project('server', {
  isolate: false,
  maxWorkers: 3,
  sequence: { sequencer: LongestFirst },
  needs: ['postgres', './test/bundleServer.ts'],
})
