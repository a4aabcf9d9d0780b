import { project } from '../support/project.ts'

export default project('consumers', {
  isolate: false,
  needs: ['postgres', './src/support/setup.ts', 'chromium'],
})
