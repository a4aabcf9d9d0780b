import { project } from '../tests/support/project.ts'

export default project('scripts', { isolate: false, needs: ['postgres'] })
