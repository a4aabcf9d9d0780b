import { project } from '../../tests/support/project.ts'

// Its tests wait for processes and clocks for four fifths of their time: three at a time, also on two cores.
export default project('server', {
  isolate: false,
  maxWorkers: 3,
  needs: ['postgres', './test/bundle.ts'],
})
