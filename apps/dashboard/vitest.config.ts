import { project } from '../../tests/support/project.ts'

export default project('dashboard', { isolate: false, needs: ['chromium', 'postgres'] })
