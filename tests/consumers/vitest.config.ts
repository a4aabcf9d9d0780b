import { project } from '../support/project.ts'

export default project('consumers', { needs: ['postgres', './src/setup.ts', 'chromium'] })
