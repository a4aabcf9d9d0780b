import { project } from '../support/project.ts'

export default project('chaos', { needs: ['postgres'] })
