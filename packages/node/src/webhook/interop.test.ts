import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe, expect, test } from 'vitest'
import { body, event, secret, sign } from '../../test/testWebhook.ts'
import { verifyWebhook } from './verification/verifyWebhook.ts'

const longest = `whsec_${Buffer.alloc(64, 0xfb).toString('base64')}`

describe.each([
  ['standardwebhooks', Standard],
  ['svix', Svix],
])('%s', (_name, Webhook) => {
  test.each([secret, longest])('accepts signatures made here', (secret) => {
    const webhook = new Webhook(secret)
    expect(() => webhook.verify(body, sign(body, { secret }))).not.toThrow()
    expect(() => webhook.verify(`${body} `, sign(body, { secret }))).toThrow()
  })

  test.each([secret, longest])('makes signatures that are accepted here', async (secret) => {
    const signedAt = new Date()
    const headers = {
      'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(
        'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
        signedAt,
        body,
      ),
    }
    expect(await verifyWebhook(body, headers, secret)).toEqual(event)
    await expect(verifyWebhook(`${body} `, headers, secret)).rejects.toMatchObject({
      code: 'signature_mismatch',
    })
  })
})
