import { call } from './call.ts'
import { list } from './list.ts'
import type { Send } from './send.ts'

export function parametersFollowTheTable(send: Send): unknown[] {
  return [
    call(send, 'assignTransfer', { id: 'tr_1', params: { payment_intent: 'pi_1' } }),
    // @ts-expect-error the body of another endpoint
    call(send, 'assignTransfer', { id: 'tr_1', params: { url: 'https://shop.example.com' } }),
    list(send, 'listTransfers', { params: { matched: false } }),
    // @ts-expect-error no parameter of this list
    list(send, 'listEvents', { params: { matched: false } }),
  ]
}
