import { project } from '../../tests/support/project.ts'

export default project('shop', { needs: ['chromium', 'postgres'] })
