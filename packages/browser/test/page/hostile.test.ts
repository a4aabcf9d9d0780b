import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import type { Intent } from '../../src/service/parseIntent.ts'
import { setResponse } from '../support/origins.ts'
import { close, open, openShop, page, type ShopWindow, screenOf } from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const hostile = [
  ['elements', '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'],
  ['the end of an attribute', '"><a href="javascript:window.hit=1">x</a>'],
  ['templates', '{merchant}{wallet}{amount}$&$1$`'],
  ['control characters', '\u202Eevil\u0000'],
  ['an address', 'javascript:window.hit=1'],
  ['400 characters', 'M'.repeat(400)],
] as const

/** Elements and addresses in the checkout that hostile text could have added. */
function drawn() {
  return page.locator('dialog').evaluate((dialog) => ({
    foreign: dialog.querySelectorAll('script, iframe, object, embed, form, style, img[src^="x"]')
      .length,
    handlers: [...dialog.querySelectorAll('*')].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith('on')),
    ),
    addresses: [...dialog.querySelectorAll('[href], [src]')].map((element) =>
      String(element.getAttribute('href') ?? element.getAttribute('src')).replace(/:.*/s, ''),
    ),
    hit: 'hit' in window,
  }))
}

test.each(hostile)(
  'names of the merchant and of wallets with %s are shown as text',
  async (_, name) => {
    // Directional formatting is removed.
    const shown = name.replace('\u202E', '')
    const registered = `Registered ${name}`
    await openShop({ by: 'script' })
    setResponse(() => intent({ merchant_name: registered }))
    await page.evaluate((name) => {
      const request = async ({ method }: { method: string }) => {
        throw { code: method === 'eth_requestAccounts' ? 4001 : 4200, message: name, data: name }
      }
      window.addEventListener('eip6963:requestProvider', () =>
        window.dispatchEvent(
          new CustomEvent('eip6963:announceProvider', {
            detail: { info: { uuid: name, name, icon: name, rdns: name }, provider: { request } },
          }),
        ),
      )
      ;(window as unknown as ShopWindow).openServiceModal({
        clientSecret: 'pi_a_secret_a',
        merchantName: name,
        wallets: [{ name, icon: name, provider: { request } }],
      })
    }, name)
    const wallets = page.locator('[part=wallet] .name')
    await expect.poll(() => wallets.allTextContents()).toEqual([shown, shown])
    expect(await page.locator('.merchant').textContent()).toBe(`Registered ${shown}`)
    expect(await page.locator('.called').textContent()).toContain(shown)
    const label = await page.locator('dialog').getAttribute('aria-label')
    expect(label).toContain(`Registered ${shown}`)
    await wallets.first().click()
    await screenOf('problem').waitFor()
    const { foreign, handlers, hit, addresses } = await drawn()
    expect({ foreign, handlers, hit }).toEqual({ foreign: 0, handlers: [], hit: false })
    expect(addresses.filter((scheme) => !/^(https?|ethereum|data)$/.test(scheme))).toEqual([])
  },
)

// The same code draws all of these; the first contains elements.
test.each(isFull ? hostile : hostile.slice(0, 2))(
  'names of the network and the token, and metadata, with %s are shown as text',
  async (_, name) => {
    await openShop({ by: 'script' })
    const { network } = intent()
    const named = intent({
      lane: 'manual',
      token_symbol: name,
      network: { ...network, name, native_symbol: name },
      metadata: { order: name },
      exceptions: [name as never],
    })
    setResponse(() => named)
    await open('pi_a_secret_a')
    await page.locator('.qr svg').waitFor()
    const { addresses, ...rest } = await drawn()
    expect(rest).toEqual({ foreign: 0, handlers: [], hit: false })
    expect(addresses.filter((scheme) => !/^(https?|ethereum)$/.test(scheme))).toEqual([])
    setResponse(() => ({ ...named, status: 'succeeded', tx_hash: txHash, version: 2 }))
    await screenOf('paid').waitFor()
    expect(await drawn()).toMatchObject({ foreign: 0, handlers: [], hit: false })
  },
)

/** Opens a checkout for each response, and expects nothing of the response to be drawn. */
async function expectRefused(changesList: readonly Partial<Intent>[]) {
  await openShop({ by: 'script' })
  for (const [number, changes] of changesList.entries()) {
    const responseText = JSON.stringify(changes)
    setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, ...changes }))
    await open(`pi_${number}_secret_${number}`)
    await screenOf('loading').waitFor()
    const problemNotice = page.getByText(/has a problem/).first()
    await problemNotice.waitFor()
    expect(await drawn(), responseText).toMatchObject({ addresses: [], hit: false })
    await close(`pi_${number}_secret_${number}`)
  }
}

test('an intent whose explorer has an invalid address is refused, and no link is drawn', async () => {
  const addresses = [
    'javascript:window.hit=1',
    ' javascript:window.hit=1',
    'JaVaScRiPt:window.hit=1//https://',
    'data:text/html,<script>window.hit=1</script>',
    'blob:https://x.example/1',
    '//elsewhere.example',
    'https:javascript:window.hit=1',
  ]
  const { network } = intent()
  await expectRefused(addresses.map((explorer_url) => ({ network: { ...network, explorer_url } })))
})

test('an invalid response is refused, and nothing of it is drawn', async () => {
  await expectRefused([
    { token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e?address=0x1' },
    { expected_wallet: 'javascript:1' },
    { payment_reference: `0x${'ab'.repeat(31)}` },
    { chain_id: -1 },
    { tx_hash: '"><script>' },
  ])
})
