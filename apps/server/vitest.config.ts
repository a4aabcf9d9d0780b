import { project } from '../../tests/support/project.ts'

export default project('server', { needs: ['postgres'] })
