import { project } from '../../tests/support/project.ts'

export default project('core', { isolate: false })
