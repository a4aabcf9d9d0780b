import { project } from '../../tests/support/project.ts'
import { LongestFirst } from './test/longestFirst.ts'

// Its tests wait for processes and clocks for most of their time: three at a time, also on two cores.
export default project('server', {
  isolate: false,
  maxWorkers: 3,
  sequence: { sequencer: LongestFirst },
  needs: ['postgres', './test/bundle.ts'],
})
