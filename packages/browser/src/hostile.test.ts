import { expect, test } from 'vitest'
import { intent, txHash } from '../test/intent.ts'
import { answerWith, open, page, type ShopWindow, screenOf, visit } from '../test/twoOrigins.ts'

const hostile = [
  ['elements', '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'],
  ['the end of an attribute', '"><a href="javascript:window.hit=1">x</a>'],
  ['templates', '{merchant}{wallet}{amount}$&$1$`'],
  ['control characters', '\u202Eevil\u0000'],
  ['an address', 'javascript:window.hit=1'],
  ['no end', 'M'.repeat(400)],
] as const

/** Elements and addresses of the checkout that only its own code could have made. */
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

test.each(hostile)('a merchant and wallets with %s for a name are text', async (_, name) => {
  // What would turn the text around it is left out.
  const shown = name.replace('\u202E', '')
  await visit({ by: 'script' })
  answerWith(() => intent())
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
  expect(await page.locator('.merchant').textContent()).toBe(shown)
  const label = await page.locator('dialog').getAttribute('aria-label')
  expect(label).toContain(shown)
  await wallets.first().click()
  await screenOf('problem').waitFor()
  const { foreign, handlers, hit, addresses } = await drawn()
  expect({ foreign, handlers, hit }).toEqual({ foreign: 0, handlers: [], hit: false })
  expect(addresses.filter((scheme) => !/^(https?|ethereum|data)$/.test(scheme))).toEqual([])
})

test.each(hostile)(
  'a network, a token and metadata with %s for words are text',
  async (_, name) => {
    await visit({ by: 'script' })
    const { network } = intent()
    const named = intent({
      lane: 'manual',
      token_symbol: name,
      network: { ...network, name, native_symbol: name },
      metadata: { order: name },
      exceptions: [name as never],
    })
    answerWith(() => named)
    await open('pi_a_secret_a')
    await page.locator('.qr svg').waitFor()
    const { addresses, ...rest } = await drawn()
    expect(rest).toEqual({ foreign: 0, handlers: [], hit: false })
    expect(addresses.filter((scheme) => !/^(https?|ethereum)$/.test(scheme))).toEqual([])
    answerWith(() => ({ ...named, status: 'succeeded', tx_hash: txHash, version: 2 }))
    await screenOf('paid').waitFor()
    expect(await drawn()).toMatchObject({ foreign: 0, handlers: [], hit: false })
  },
)

test.each([
  'javascript:window.hit=1',
  ' javascript:window.hit=1',
  'JaVaScRiPt:window.hit=1//https://',
  'data:text/html,<script>window.hit=1</script>',
  'blob:https://x.example/1',
  '//elsewhere.example',
  'https:javascript:window.hit=1',
])('an explorer at %s is refused: no such link is ever drawn', async (explorer_url) => {
  await visit({ by: 'script' })
  const { network } = intent()
  answerWith(() =>
    intent({ status: 'succeeded', tx_hash: txHash, network: { ...network, explorer_url } }),
  )
  await open('pi_a_secret_a')
  await page
    .getByText(/has a problem/)
    .first()
    .waitFor()
  expect((await drawn()).addresses).toEqual([])
})

test.each([
  { token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e?address=0x1' },
  { expected_wallet: 'javascript:1' },
  { payment_reference: `0x${'ab'.repeat(31)}` },
  { chain_id: -1 },
  { tx_hash: '"><script>' },
] as const)('an answer with %o is none of the service: nothing of it is drawn', async (changes) => {
  await visit({ by: 'script' })
  answerWith(() => intent({ status: 'succeeded', tx_hash: txHash, ...changes }))
  await open('pi_a_secret_a')
  await screenOf('loading').waitFor()
  await page
    .getByText(/has a problem/)
    .first()
    .waitFor()
  expect(await drawn()).toMatchObject({ addresses: [], hit: false })
})
