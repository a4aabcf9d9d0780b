import {
  type ListTransfers,
  listTransfersSchema,
  type Transfer,
  transferPageSchema,
} from '@payment-intents/contract'
import { type List, list } from './list.ts'
import type { ReadOptions } from './options.ts'
import type { Send } from './send.ts'

const endpoint = {
  path: () => '/v1/transfers',
  params: listTransfersSchema,
  page: transferPageSchema,
  cursor: ({ id }: Transfer) => id,
}

export function listTransfers(
  send: Send,
  params: ListTransfers = {},
  options?: ReadOptions,
): List<Transfer> {
  return list(send, endpoint, params, options)
}
