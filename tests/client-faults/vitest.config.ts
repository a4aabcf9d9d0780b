import { project } from '../support/project.ts'

export default project('client-faults', { needs: ['postgres'] })
