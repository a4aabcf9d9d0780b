import { describe, expect, test } from 'vitest'
import { startDevChain } from '../devChain/startDevChain.ts'
import { startFaultServer } from '../faults/faultServer.ts'
import { createTestService } from '../service/createTestService.ts'
import { announceTestWallet } from '../wallet/announceTestWallet.ts'
import { createTestWallet } from '../wallet/createTestWallet.ts'
import { signWebhook } from '../webhooks/signWebhook.ts'
import { webhookEvent } from '../webhooks/webhookEvent.ts'
import { webhookRequest } from '../webhooks/webhookRequest.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const upstream = { json: {} }
/** Options of a test in JavaScript, without a type check. */
const invalid = (options: unknown) => options as never

describe('an option without an effect is a TypeError', () => {
  const service = createTestService()
  const wallet = () => createTestWallet({ rpcUrl: 'http://localhost:8545' })

  test.each<[string, () => unknown, string]>([
    [
      'createTestService',
      () => createTestService(invalid({ base_url: '' })),
      'Did you mean `baseUrl`?',
    ],
    ['createTestService', () => createTestService(invalid('https://a')), 'received string.'],
    [
      'wallets',
      () => createTestService(invalid({ wallets: { bsae: '' } })),
      'Did you mean `base`?',
    ],
    ['confirmations', () => createTestService(invalid({ confirmations: 3 })), 'received number.'],
    ['fail', () => service.fail(invalid({ with: 'hang', time: 2 })), 'Did you mean `times`?'],
    ['pay', () => service.pay('pi_1', invalid({ amount: 5 })), 'Did you mean `amount_units`?'],
    ['pay', () => service.pay('pi_1', invalid(5)), 'received number.'],
    ['underpay', () => service.underpay('pi_1', invalid({ missing: 5 })), '`missing_units`?'],
    ['payLate', () => service.payLate('pi_1', invalid({ amountUnits: 5 })), '`amount_units`?'],
    ['transfer', () => service.transfer(invalid({ amount_units: 5, chian: '' })), '`chain`?'],
    ['signWebhook', () => signWebhook('', secret, invalid({ timeStamp: 0 })), '`timestamp`?'],
    ['webhookRequest', () => webhookRequest({ id: 'a' }, secret, invalid({ ID: '' })), '`id`?'],
    [
      'webhookEvent',
      () => webhookEvent('transfer.unmatched', invalid({ objekt: {} })),
      '`object`?',
    ],
    [
      'createTestWallet',
      () => createTestWallet(invalid({ rpc_url: '' })),
      'Did you mean `rpcUrl`?',
    ],
    ['announceTestWallet', () => announceTestWallet(wallet(), invalid({ Name: '' })), '`name`?'],
    ['startDevChain', () => startDevChain(invalid({ block_time: 0 })), 'Did you mean `blockTime`?'],
    ['startFaultServer', () => startFaultServer(invalid({ upstream, plans: [] })), '`plan`?'],
    [
      'a fault',
      () => startFaultServer({ upstream, plan: [invalid({ type: 'page', stauts: 502 })] }),
      'Unknown property `stauts`. Did you mean `status`?',
    ],
  ])('%s', async (call, run, message) => {
    const attempt = (async () => run())()
    await expect(attempt).rejects.toBeInstanceOf(TypeError)
    await expect(attempt).rejects.toThrow(new RegExp(`^${call}: `))
    await expect(attempt).rejects.toThrow(message)
  })
})

test('every documented option is accepted', async () => {
  const confirmations = { base: 1 }
  const service = createTestService({
    ...{ baseUrl: 'https://a.test', apiKey: 'sk_test_1', gasless: true, now: new Date() },
    ...{ merchantName: 'A', mode: 'testnet', wallets: {}, defaultChain: 'base', confirmations },
  })
  service.fail({ with: 'conflict', reason: 'illegal_state', on: 'listEvents', times: 1 })
  service.fail({ with: 'rate_limited', retry_after_seconds: 1 })
  signWebhook('', secret, { id: 'a', timestamp: new Date() })
  createTestWallet({
    ...{ rpcUrl: [], account: 1, chainId: 1, atomic: 'ready', decide: () => 'approve' },
  })
  const faults = await startFaultServer({
    upstream,
    port: 0,
    plan: [
      { type: 'page', status: 502, body: '', committed: true, retryAfter: 1, shouldRetry: true },
      { type: 'error', code: 'conflict', reason: 'illegal_state' },
      { type: 'stall', at: 'body' },
      { type: 'truncate', framing: 'length' },
      { type: 'unsolicited_response', json: {} },
      { type: 'redirect', location: 'http://127.0.0.1:9/' },
      { type: 'delay', milliseconds: 1 },
    ],
  })
  await faults.stop()
})
