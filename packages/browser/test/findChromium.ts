import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type {} from './launchChromium.ts'

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Before any test, since it may unpack itself: a second test would start a program that is still being written. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', await findChromium())
}

/** Path of a Chromium: `CHROMIUM_PATH`, else the machine's own, else the one that npm brings. */
export async function findChromium(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? installed() ?? (await brought())
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return [...candidates, ...applications].find(isExecutable)
}

async function brought(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
