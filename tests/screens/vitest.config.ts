import { project } from '../support/project.ts'

// Pages at once; they share two cores with a server, a database and a chain.
export default project('screens', { needs: ['chromium', 'postgres'], maxConcurrency: 4 })
