import { describe, expect, test } from 'vitest'
import { body, event, secret, sign } from '../../test/testWebhook.ts'
import { verifyWebhook } from './verification/verifyWebhook.ts'

describe('verifyWebhook', () => {
  test.each<[unknown, string]>([
    [{ toleranceSeconds: 5 }, 'Unknown option `toleranceSeconds`. Did you mean `tolerance`?'],
    [{ Mode: 'mainnet' }, 'Unknown option `Mode`. Did you mean `mode`?'],
    [{ secret }, 'Unknown option `secret`. Known are `tolerance`, `now`, `mode`.'],
    [300, 'Pass options as an object, such as { tolerance: … }; received number.'],
    [null, 'received null.'],
  ])('refuses %o', async (options, message) => {
    const verified = verifyWebhook(body, sign(body), secret, options as never)
    await expect(verified).rejects.toMatchObject({ code: 'option_invalid' })
    await expect(verified).rejects.toThrow(message)
  })

  test('accepts every documented option, also of a class', async () => {
    class Options {
      tolerance = 300
      mode = undefined
      get now() {
        return Date.now
      }
    }
    for (const options of [undefined, {}, new Options(), { now: undefined }]) {
      expect(await verifyWebhook(body, sign(body), secret, options)).toEqual(event)
    }
  })
})
