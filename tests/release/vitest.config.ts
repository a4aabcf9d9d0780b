import { patience } from '../support/patience.ts'
import { project } from '../support/project.ts'

export default project('release', {
  needs: ['postgres'],
  // A build of everything, and downloads.
  testTimeout: 20 * patience,
  hookTimeout: 20 * patience,
})
