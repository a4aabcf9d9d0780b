import { project } from '../../tests/support/project.ts'

export default project('react', { isolate: false, needs: ['chromium'] })
