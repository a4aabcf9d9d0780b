import { freshModules, project } from '../../tests/support/project.ts'

export default project('browser', {
  ...freshModules,
  needs: ['./test/bundleCheckout.ts', 'chromium'],
})
