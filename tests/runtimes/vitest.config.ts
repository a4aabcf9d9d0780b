import { project } from '../support/project.ts'

export default project('runtimes', { needs: ['postgres'] })
