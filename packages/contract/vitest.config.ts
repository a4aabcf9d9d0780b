import { project } from '../../tests/support/project.ts'

export default project('contract', { isolate: false })
