import { project } from '../tests/support/project.ts'

export default project('scripts', { needs: ['postgres'] })
