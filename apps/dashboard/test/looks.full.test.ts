import { beforeAll, expect, test } from 'vitest'
import { slowness } from '../../../tests/support/patience.ts'
import { type Desk, openDesk } from './support/openDesk.ts'
import { allPaths, keyboardFaults, tour } from './support/tour.ts'

let desk: Desk
let paths: string[]

beforeAll(async () => {
  desk = await openDesk()
  paths = [...(await allPaths(desk)), '/?period=today', '/?period=year']
  await desk.page.goto(await desk.signInLink())
  await desk.heading('Overview')
  return () => desk.close()
})

test.each([
  ['a phone, in the dark', { width: 390, height: 844 }, 'dark'],
  ['a phone', { width: 390, height: 844 }, 'light'],
  ['a window of 1280 px at 200 %', { width: 640, height: 400 }, 'light'],
  ['a desktop, in the dark', { width: 1280, height: 800 }, 'dark'],
] as const)('every page is complete on %s', async (_, size, colorScheme) => {
  expect(await tour(desk, paths, { size, colorScheme })).toEqual([])
})

test('the keyboard alone reaches every control on every page, visibly', async () => {
  const problems: string[] = []
  const onPage = async (path: string) => {
    problems.push(...(await keyboardFaults(desk.page)).map((fault) => `${path} ${fault}`))
  }
  const size = { width: 1280, height: 800 }
  await tour(desk, paths, { size, colorScheme: 'light', onPage })
  expect(problems).toEqual([])
})

test('the first page is usable within two seconds on a slow phone and line', async () => {
  const { page, url } = desk
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const throughput = 1_600_000 / 8
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 0 },
    ...{ downloadThroughput: throughput, uploadThroughput: throughput },
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.goto('about:blank')
  const began = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('dl.totals').waitFor()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await page.getByRole('searchbox').waitFor()
  const took = performance.now() - began
  console.log(`The first page is usable after ${Math.round(took)} ms.`)
  expect(took).toBeLessThan(2_000 * slowness)
  await devtools.detach()
})
