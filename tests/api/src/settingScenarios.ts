import { limits } from '@payment-intents/contract'
import { expect } from 'vitest'
import { drawLogo } from '../../support/pictures/drawLogo.ts'
import { asPng, dataUrls } from '../../support/pictures/testPictures.ts'
import type { Observed } from './record.ts'

const path = '/v1/settings'
const logo = asPng(drawLogo())

const refused: unknown[] = [
  ...[
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(201) },
    { name: 'a\tb' },
    { name: 'a\u0000b' },
  ],
  ...[{ name: null }, { name: 1 }, { wallets: {} }, { id: 'mer_1' }, { mode: 'mainnet' }],
  ...[{ default_chain: 'solana' }, { default_chain: '' }],
  ...[{ brand: null }, { brand: { accent: 'green' } }, { brand: { accent: '#fff' } }],
  ...[{ brand: { color: '#ffffff' } }, { brand: { logo: 'https://shop.example/logo.png' } }],
  ...[
    { brand: { logo: asPng('<svg/>') } },
    { brand: { logo: dataUrls.png } },
    { brand: { logo: asPng(drawLogo(32, 32)) } },
  ],
  { brand: { logo: asPng(Buffer.concat([drawLogo(), Buffer.alloc(100_000)])) } },
  ...[{ support: '' }, { support: 'help' }, { support: 'javascript:alert(1)' }, { support: 1 }],
  ...[{ guide: '' }, { guide: 'http://shop.example' }, { guide: 'help@shop.example' }],
  ...[{ chains: { solana: {} } }, { chains: { base: null } }, { chains: [] }],
  ...[0, 201, 1.5, '5', -1].map((confirmations_required) => {
    return { chains: { base: { confirmations_required } } }
  }),
  ...[
    { chains: { base: { match_plain_price: 'on' } } },
    { chains: { base: { match_plain_price: null } } },
    { chains: { base: { wallet: '0x2222222222222222222222222222222222222222' } } },
  ],
  ...['no JSON', '[]', '{"name":"A","name":"B"}'],
]

/** The settings of a merchant, whose only wallet is on Base. */
export const settingScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'settings read and changed'(service) {
    const { call, create, look } = service
    const change = (body: object) => call('PATCH', path, { body })
    await call('GET', path)
    const { brand } = await change({
      ...{ name: ' Café 🥐 ', default_chain: 'base', support: 'https://Shop.example/help' },
      ...{ guide: 'none', brand: { accent: '#0A7D5C', logo } },
      chains: { base: { confirmations_required: 3 }, polygon: { match_plain_price: false } },
    })
    const logoResponse = await service.request(new URL(brand.logo).pathname)
    expect(logoResponse.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(Buffer.from(await logoResponse.arrayBuffer())).toEqual(drawLogo())
    await look(await create())
    await call('GET', path)
    await change({})
    await change({ brand: { accent: null } })
    await change({ default_chain: 'polygon' })
    await call('POST', '/v1/payment_intents', { body: { amount_units: 1 } })
    await change({
      ...{ default_chain: null, support: null, guide: null, brand: { logo: null } },
      chains: { base: { confirmations_required: null } },
    })
    expect((await service.request(new URL(brand.logo).pathname)).status).toBe(404)
    await look(await create({ amount_units: 26_000_000 }))
  },

  async 'settings refused'({ call }) {
    for (const body of refused) await call('PATCH', path, { body })
    await call('PATCH', path)
    // Nothing of a request is changed where any of it is refused.
    const base = { confirmations_required: 3 }
    const chains = { base, polygon: { match_plain_price: true } }
    await call('PATCH', path, { body: { name: 'Changed', brand: { logo }, chains } })
    await call('PATCH', path, { body: { name: 'Changed', chains: { base }, guide: 'x' } })
    await call('GET', path)
    await call('PATCH', path, { body: { name: 'Changed' }, headers: {} })
    await call('POST', path, { body: {} })
    await call('GET', `${path}?mode=mainnet`)
  },

  async 'return origins allowed, used and disallowed'({ call }) {
    const origins = '/v1/return_origins'
    const allow = (origin: unknown) => call('POST', origins, { body: { origin } })
    await call('GET', origins)
    const { id } = await allow('https://Shop.example/')
    await allow('https://shop.example')
    await allow('http://localhost:3000')
    const invalid = ['', 'shop.example', 'http://shop.example', 'https://shop.example/thanks', 1]
    for (const origin of [...invalid, 'javascript:alert(1)', 'https://a@shop.example', null]) {
      await allow(origin)
    }
    await call('POST', origins, { body: {} })
    await call('GET', origins)
    await call('GET', `${origins}?limit=1`)
    const link = { amount_units: 1, description: 'A', return_url: 'https://shop.example/thanks' }
    const { id: payment } = await call('POST', '/v1/payment_links', { body: link })
    const look = () =>
      call('POST', '/v1/payment_links/resolve', { body: { id: payment }, headers: {} })
    await look()
    await call('DELETE', `${origins}/${id}`)
    await look()
    await call('POST', '/v1/payment_links', { body: link })
    await call('DELETE', `${origins}/${id}`)
    await call('DELETE', `${origins}/https%3A%2F%2Fshop.example`)
    await call('GET', origins)
  },

  async 'at most a hundred return origins'({ call }) {
    // The merchant already has an origin.
    for (let count = 0; count < limits.returnOrigins; count += 1) {
      await call('POST', '/v1/return_origins', { body: { origin: `https://shop${count}.example` } })
    }
    await call('POST', '/v1/return_origins', { body: { origin: 'https://shop0.example' } })
  },

  async 'the plain price matched from one setting to the next'({ call, create, transfer, look }) {
    const match = (match_plain_price: boolean) =>
      call('PATCH', path, { body: { chains: { base: { match_plain_price } } } })
    const first = await create()
    await match(true)
    await transfer(25_000_000)
    await look(first)
    await match(false)
    const second = await create({ amount_units: 30_000_000 })
    await transfer(30_000_000)
    await look(second)
  },
}
