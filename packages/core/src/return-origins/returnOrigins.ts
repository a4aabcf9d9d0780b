import { limits, type ReturnOrigin } from '@payment-intents/contract'
import { conflict, invalidBody, notFoundError } from '../http/httpError.ts'
import { presentPage } from '../lib/presentPage.ts'
import type { Handler } from '../service.ts'
import { readReturnOrigin, returnOriginMust } from './readReturnOrigin.ts'
import type { StoredReturnOrigin } from './store.ts'

export const listReturnOrigins: Handler<'listReturnOrigins'> = async ({ store }, { actor }) => {
  const items = await store.returnOrigins.list(actor)
  return { body: presentPage({ items, hasMore: false }, presentText) }
}

export const createReturnOrigin: Handler<'createReturnOrigin'> = async (
  service,
  { actor, body },
) => {
  const origin = readReturnOrigin(body.origin)
  if (origin === null) throw invalidBody([{ path: 'origin', message: returnOriginMust }])
  const now = service.now()
  const inserted = await service.store.returnOrigins.insert(
    actor,
    { id: service.newId('ro', now), origin, createdAt: new Date(now) },
    limits.returnOrigins,
  )
  if (inserted === 'too_many') {
    const message = `There are ${limits.returnOrigins} return origins already; delete an origin first.`
    throw conflict('illegal_state', message)
  }
  return { body: presentText(inserted) }
}

export const deleteReturnOrigin: Handler<'deleteReturnOrigin'> = async (
  { store },
  { actor, id },
) => {
  if (!(await store.returnOrigins.delete(actor, id))) throw notFoundError('return origin')
  return { body: JSON.stringify({ id, deleted: true }) }
}

function presentText({ id, origin, createdAt }: StoredReturnOrigin): string {
  const presented: ReturnOrigin = { id, origin, created_at: createdAt.toISOString() }
  return JSON.stringify(presented)
}
