import { project } from '../../tests/support/project.ts'

export default project('shop', { isolate: false, needs: ['chromium', 'postgres'] })
