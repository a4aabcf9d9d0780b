import { beforeEach, describe, expect, test } from 'vitest'
import { setResponse } from '../support/origins.ts'
import { close, complaints, open, openShop, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

// A newer page on an older script must still sell: an unknown option is a warning.

const secret = 'pi_a_secret_a'
let warnings: string[]

function listen() {
  warnings = []
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text())
  })
}

beforeEach(() => setResponse(() => intent()))

const allowedNames =
  'Use clientSecret,paymentLink,merchant,merchantName,baseUrl,onSuccess,onPending,onError,onClose,wallets,paymentMethods,appearance,theme,locale,container,nonce.'

describe.each(['import', 'script'] as const)('by %s', (by) => {
  test('an unknown option logs one warning, and the checkout opens', async () => {
    await openShop({ by })
    listen()
    const options = {
      ...{ merchant_name: 'Kiosk', onsuccess: 1, tips: true, constructed: undefined },
      appearance: { Logo: 'https://shop.test/logo.svg' },
    }
    for (const _ of [1, 2]) {
      await open(secret, options)
      await screenOf('pay').waitFor()
      await close(secret)
    }
    // In any order: the search for the nearest name is loaded on demand.
    expect(warnings.toSorted()).toEqual(
      [
        'Payment Intents: unknown option `merchant_name`. Use merchantName.',
        'Payment Intents: unknown option `onsuccess`. Use onSuccess.',
        `Payment Intents: unknown option \`tips\`. ${allowedNames}`,
        `Payment Intents: unknown option \`constructed\`. ${allowedNames}`,
        'Payment Intents: unknown option `appearance.Logo`. Use appearance.logo.',
      ].toSorted(),
    )
    expect(complaints).toEqual([])
  })

  test('documented options and properties of a polluted page log no warning', async () => {
    await openShop({ by, before: () => Object.assign(Object.prototype, { polyfill: () => {} }) })
    listen()
    await open(secret, {
      ...{ merchantName: 'Kiosk', paymentMethods: ['wallets', 'qr'], theme: 'dark', locale: 'en' },
      ...{ wallets: [], container: undefined, nonce: 'n', onPending: undefined },
      appearance: { logo: undefined, labels: { done: 'Back' } },
    })
    await screenOf('pay').waitFor()
    expect(warnings).toEqual([])
  })
})

test('a misspelt attribute of a button logs a warning, and an attribute of another script does not', async () => {
  const markup = `<button id="buy" data-client-secret="${secret}" data-merchantname="Kiosk"
    data-local="en" data-bs-theme="dark" data-testid="buy" data-log="1" data-scale="2">Buy</button>`
  await openShop({ by: 'buttons', markup, probed: false })
  listen()
  await page.locator('#buy').click()
  await screenOf('pay').waitFor()
  expect(warnings).toEqual([
    'Payment Intents: unknown option `data-merchantname`. Use data-merchant-name.',
    'Payment Intents: unknown option `data-local`. Use data-locale.',
    'Payment Intents: unknown option `data-log`. Use data-logo.',
  ])
})
