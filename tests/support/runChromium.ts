import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './findChromium.ts'
import { installedChromium } from './installedChromium.ts'
import type {} from './launchChromium.ts'
import { serveChromium } from './startChromium.ts'

type Shared = { server: Promise<BrowserServer>; users: number }

/** Every project has its own instance of this module; they share the process. */
const global = globalThis as { testChromium?: Shared }

/** One Chromium per run, whichever projects need it: the first starts it, the last to end closes it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  global.testChromium ??= { server: chromiumOf(project).then(serveChromium), users: 0 }
  const shared = global.testChromium
  shared.users += 1
  const server = await shared.server
  project.provide('chromium', server.wsEndpoint())
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete global.testChromium
    await server.close()
  }
}

async function chromiumOf({ vite }: TestProject): Promise<string> {
  if (vite.config.mode !== 'installed') return findChromium()
  const path = installedChromium()
  if (!path) throw new Error('No Chromium or Chrome is installed: `--mode installed` runs on it.')
  return path
}
