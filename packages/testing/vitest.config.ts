import { project } from '../../tests/support/project.ts'

export default project('testing', { isolate: false, needs: ['chromium'] })
