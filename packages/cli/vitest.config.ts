import { project } from '../../tests/support/project.ts'

export default project('cli', { isolate: false })
