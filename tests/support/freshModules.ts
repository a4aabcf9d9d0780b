import { vi } from 'vitest'

// A setup file, for projects whose files share a worker (`isolate: false`). Each file evaluates the sources anew, so
// that shared modules register their hooks for it; packages, such as the browser's driver, are loaded once.
vi.resetModules()
