import { project } from '../support/project.ts'

export default project('webhook-faults', { needs: ['postgres'] })
