import { startDevChain } from '../devChain/startDevChain.ts'
import { startFaultServer } from '../faults/faultServer.ts'
import { createTestService, type TestService } from '../service/createTestService.ts'
import { createTestWallet } from '../wallet/createTestWallet.ts'
import { signWebhook } from '../webhooks/signWebhook.ts'

export function refuses(service: TestService): void {
  // @ts-expect-error no such option
  createTestService({ base_url: 'https://payments.test' })
  // @ts-expect-error no such chain
  createTestService({ confirmations: { bsae: 1 } })
  // @ts-expect-error no such option
  service.pay('pi_1', { amount: 5 })
  // @ts-expect-error no such option
  service.fail({ with: 'hang', time: 2 })
  // @ts-expect-error no such option
  startDevChain({ block_time: 0 })
  // @ts-expect-error no such option
  startFaultServer({ upstream: { json: {} }, plans: [] })
  // @ts-expect-error no such option
  createTestWallet({ rpcUrl: '', accounts: 1 })
  // @ts-expect-error no such option
  signWebhook('', 'whsec_a', { timeStamp: new Date() })
}
