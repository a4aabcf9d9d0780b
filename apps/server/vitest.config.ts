import { project } from '../../tests/support/project.ts'

// Its tests wait for processes and clocks more than they work: two at a time, also on two cores.
export default project('server', { isolate: false, maxWorkers: 2, needs: ['postgres'] })
