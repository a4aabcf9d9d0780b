import { endpoints, limits } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { anotherServer } from '../../../test/support/database/fixtures.ts'
import { expectError } from '../../../test/support/server/merchantApi.ts'
import { createIntent, createTestMerchant, post } from '../../../test/support/server/testServer.ts'

const { max, chainMax } = limits.payerRequests
const address = `0x${'2'.repeat(40)}`
/** An authorization that the service counts, and then refuses. */
const authorization = {
  ...{ from: address, to: address, value: '1', validAfter: '0', validBefore: '1' },
  nonce: `0x${'3'.repeat(64)}`,
}
const signature = `0x${'4'.repeat(130)}`

test.each([
  ['handOffPaymentIntent', {}, 200, max],
  ['authorizePaymentIntent', { authorization, signature }, 400, chainMax],
] as const)(
  '%s accepts as many and as large requests for an intent as documented',
  async (operation, fields, status, most) => {
    const limited = await anotherServer({ resolveLimit: { max, windowMs: 3_600_000 } })
    const { apiKey } = await createTestMerchant(limited.db)
    const { client_secret } = await createIntent(limited, apiKey)
    const { path, bodyBytes } = endpoints[operation]
    const send = (body: object) => post(limited, path, { client_secret, ...fields, ...body })
    for (let sent = 0; sent < most; sent += 1) expect((await send({})).status).toBe(status)
    await expectError(await send({}), 429, 'rate_limited')

    const { client_secret: other } = await createIntent(limited, apiKey)
    expect((await send({ client_secret: other })).status).toBe(status)
    const shortest = JSON.stringify({ client_secret: other, ...fields, filler: '' }).length
    const messages = []
    for (const excess of [0, 1]) {
      const filler = 'x'.repeat(bodyBytes - shortest + excess)
      const response = await send({ client_secret: other, filler })
      expect(response.status).toBe(400)
      messages.push((await response.json()).issues[0].message)
    }
    expect(messages[0]).not.toContain('KiB')
    expect(messages[1]).toBe(`the request body is larger than ${bodyBytes / 1_024} KiB`)
  },
)
