import { project } from '../support/project.ts'

export default project('api', { needs: ['postgres'] })
