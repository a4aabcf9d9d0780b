import { brandStyle } from '@payment-intents/core/brandStyle'
import { applyBrand } from '../../../../packages/browser/src/hosted/applyBrand.ts'
import { enManual } from '../../../../packages/browser/src/locales/enManual.ts'
import type { Look } from './look.ts'
import { sampleIntent } from './sampleIntent.ts'

// Runs before the script of the hosted page, and replaces the service and a wallet. No request leaves the page.

const isPaid = location.hash === '#paid'
const changes = new EventTarget()
let look: Look | null = null
let version = 0
let brandShown: Promise<void> = Promise.resolve()

// `inert`, so that nothing in the preview takes the focus. A modal dialog would escape it.
document.documentElement.inert = true
HTMLDialogElement.prototype.showModal = HTMLDialogElement.prototype.show

window.fetch = async (address, init) => {
  const { pathname } = new URL(String(address), location.href)
  if (pathname === '/checkout/session') {
    return Response.json({ id: 'preview', client_secret: 'preview', return_url: null, brand: null })
  }
  if (pathname === '/v1/locales/en.json') return Response.json(enManual)
  if (pathname !== '/v1/payment_intents/resolve') return new Response(null, { status: 404 })
  const { after_version = 0, wait_seconds = 0 } = JSON.parse(String(init?.body))
  if (version <= after_version) await nextChange(look && wait_seconds)
  return Response.json(look && sampleIntent(look, version, isPaid))
}

// The address stays that of this page.
history.replaceState = () => {}

addEventListener('message', ({ data, origin, source }: MessageEvent<Look>) => {
  if (origin !== location.origin || source !== parent) return
  const before = look
  look = data
  version += 1
  brandShown = brandShown.then(() => showBrand(before, data))
  changes.dispatchEvent(new Event('change'))
})

const wallet = { info: { uuid: 'preview', name: 'Wallet', icon: '', rdns: 'preview' } }
addEventListener('eip6963:requestProvider', () => {
  const detail = { ...wallet, provider: { request: () => new Promise(() => {}) } }
  dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
})

/** @param seconds the longest wait; null: no limit */
function nextChange(seconds: number | null): Promise<void> {
  return new Promise((resolve) => {
    changes.addEventListener('change', () => resolve(), { once: true })
    if (seconds !== null) setTimeout(resolve, seconds * 1_000)
  })
}

/** Redraws only the changed parts of the brand. */
async function showBrand(before: Look | null, { accent, logo }: Look): Promise<void> {
  const { style } = document.documentElement
  if (accent !== before?.accent) {
    for (const name of Object.keys(brandStyle('#000000'))) style.removeProperty(name)
    await applyBrand({ style: accent ? brandStyle(accent) : {}, accent: null, logo: null })
  }
  if (logo !== before?.logo) {
    for (const name of ['--logo', '--logo-paper', '--initial']) style.removeProperty(name)
    await applyBrand({ style: {}, accent: null, logo })
  }
}
