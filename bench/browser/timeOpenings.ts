import { type Stack, startStack } from '../../apps/shop/test/startStack.ts'
import { findChromium } from '../../tests/support/findChromium.ts'
import { startChromium } from '../../tests/support/startChromium.ts'
import { bundleProgram } from './bundleProgram.ts'
import { ours } from './checkouts.ts'
import { serveBundles } from './serveBundles.ts'
import { createSlowLine } from './slowLine.ts'
import { timeVisit, type Visit } from './timeVisit.ts'

const phones = {
  'slow 4G': { roundTripMs: 150, downKbit: 1_600, upKbit: 750, cpu: 4 },
  'slow 3G': { roundTripMs: 400, downKbit: 400, upKbit: 400, cpu: 4 },
}
const screen = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const program = `
  import * as PaymentIntents from '@payment-intents/browser'
  window.PaymentIntents = PaymentIntents`

/**
 * Visits of each kind, such as 'slow 4G, script tag, first': the first visit has no cache, the second the first's cache. The service is
 * real, of another origin than the page.
 */
export async function timeOpenings(runs: number): Promise<ReadonlyMap<string, readonly Visit[]>> {
  const { files, first } = await bundleProgram({ program, folder: ours.folder })
  const browser = await startChromium(await findChromium())
  const stack = await startStack()
  const visits = new Map<string, Visit[]>()
  try {
    const clientSecret = await createIntent(stack)
    for (const [phone, { cpu, ...speed }] of Object.entries(phones)) {
      const line = createSlowLine(speed)
      const baseUrl = await line.to(stack.apiUrl)
      const pages = await serveBundles(files, {
        '/modules': `<script type="module" src="/${first[0]}"></script>`,
        '/tag': `<script src="${baseUrl}/v1/browser.js"></script>`,
      })
      const shop = await line.to(pages.url)
      const urls = { 'ES modules': `${shop}/modules`, 'script tag': `${shop}/tag` }
      try {
        for (let run = 0; run < runs; run += 1) {
          for (const [build, url] of Object.entries(urls)) {
            const context = await browser.newContext(screen)
            for (const nth of ['first', 'second']) {
              const opening = { clientSecret, baseUrl }
              const visit = await timeVisit(context, { url, cpu, opening })
              const kind = `${phone}, ${build}, ${nth}`
              visits.set(kind, [...(visits.get(kind) ?? []), visit])
              line.hangUp()
            }
            await context.close()
          }
        }
      } finally {
        pages.close()
        line.close()
      }
    }
    return visits
  } finally {
    await browser.close()
    await stack.stop()
  }
}

async function createIntent({ apiUrl, apiKey }: Stack): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_units: 25_000_000 }),
  })
  if (!response.ok) throw new Error(`The service returned ${response.status}.`)
  return (await response.json()).client_secret
}
