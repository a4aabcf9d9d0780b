import { project } from '../../tests/support/project.ts'

export default project('rules', { isolate: false })
