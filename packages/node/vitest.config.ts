import { project } from '../../tests/support/project.ts'

export default project('node', { isolate: false })
