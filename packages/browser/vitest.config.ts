import { project } from '../../tests/support/project.ts'

export default project('browser', { needs: ['./test/bundle.ts', 'chromium'] })
