import { modeSchema } from '@payment-intents/contract'
import { HttpError } from '@payment-intents/core'
import { z } from 'zod'
import { apiKeyHint, hashApiKey, newApiKey } from '../lib/crypto/apiKey.ts'
import { type Queryable, transaction } from '../store/connection/connect.ts'
import { newId } from '../store/lists/ids.ts'
import {
  type ApiKeyRow,
  type ApiKeyScope,
  apiKeyScopes,
  insertApiKey,
  labelApiKey,
  listApiKeys,
  revokeApiKey,
} from '../store/merchants/apiKeys.ts'
import { accountEndpoint } from './accountEndpoint.ts'
import { noSuch } from './noSuch.ts'

/** Refuses a label that contains an API key: the database would hold the key in the clear. */
export const apiKeyLabel = z
  .string()
  .trim()
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), 'must be one line, without tabs')
  .refine(
    (text) => !/[sr]k_(test|live)_\w{20}/.test(text),
    'holds an API key. Write what the key is for, such as "shop backend"',
  )

const creationSchema = z.strictObject({
  mode: modeSchema,
  label: apiKeyLabel.default(''),
  scope: z.enum(apiKeyScopes).default('full'),
})
const rollSchema = z.strictObject({
  /** The time for which the replaced key stays valid. */
  expires_in_hours: z.int().min(0).max(168).default(0),
})

export const apiKeyEndpoints = {
  listApiKeys: accountEndpoint({
    ...{ method: 'GET', path: '/account/api_keys', role: 'owner', needsProof: false },
    async handle({ db }, { merchant, mode }) {
      const keys = (await listApiKeys(db.pool, merchant.id)) ?? []
      return { body: { data: keys.filter((key) => key.mode === mode).map(presentApiKey) } }
    },
  }),

  createApiKey: accountEndpoint({
    ...{ method: 'POST', path: '/account/api_keys', role: 'owner', needsProof: true },
    notice: 'created an API key',
    body: creationSchema,
    async handle({ db, now }, { merchant, body }) {
      const created = await createApiKey(db.pool, { ...body, merchantId: merchant.id, now: now() })
      return { body: created, subject: created.id }
    },
  }),

  rollApiKey: accountEndpoint({
    ...{ method: 'POST', path: '/account/api_keys/:id/roll', role: 'owner', needsProof: true },
    notice: 'rolled an API key',
    body: rollSchema,
    async handle({ db, now }, { merchant, id, body }) {
      const created = await transaction(db, async (client) => {
        const keys = (await listApiKeys(client, merchant.id)) ?? []
        const key = keys.find((candidate) => candidate.id === id)
        if (!key) throw noSuch('API key')
        const isLive = await revokeApiKey(client, id, body.expires_in_hours * 3_600)
        if (!isLive) throw new HttpError('not_found', 'This API key is revoked. Create a new one.')
        const { mode, label, scope } = key
        return createApiKey(client, { mode, label, scope, merchantId: merchant.id, now: now() })
      })
      return { body: created, subject: created.id }
    },
  }),

  updateApiKey: accountEndpoint({
    ...{ method: 'PATCH', path: '/account/api_keys/:id', role: 'owner', needsProof: true },
    notice: 'labelled an API key',
    body: z.strictObject({ label: apiKeyLabel }),
    async handle({ db }, { merchant, id, body }) {
      if (!(await labelApiKey(db.pool, id, body.label, merchant.id))) throw noSuch('API key')
      return { body: { id, label: body.label } }
    },
  }),

  revokeApiKey: accountEndpoint({
    ...{ method: 'DELETE', path: '/account/api_keys/:id', role: 'owner', needsProof: true },
    notice: 'revoked an API key',
    async handle({ db }, { merchant, id }) {
      if (!(await revokeApiKey(db.pool, id, 0, merchant.id))) throw noSuch('API key')
      return { body: { id, revoked: true } }
    },
  }),
}

/** Creates an API key. Only this result holds the key itself. */
export async function createApiKey(
  db: Queryable,
  terms: {
    merchantId: string
    mode: ApiKeyRow['mode']
    label: string
    scope: ApiKeyScope
    now: number
  },
) {
  const { merchantId, mode, label, scope, now } = terms
  const key = newApiKey(mode)
  const hint = apiKeyHint(key)
  const id = newId('key', now)
  await insertApiKey(db, { id, merchantId, mode, hint, label, scope, hash: hashApiKey(key) })
  return { id, mode, hint, label, scope, key }
}

function presentApiKey(key: ApiKeyRow) {
  const { id, mode, hint, label, scope } = key
  return {
    ...{ id, mode, hint, label, scope },
    created_at: key.created_at,
    last_used_at: key.last_used_at,
    /** The time at which the key stops working, or stopped. */
    revoked_at: key.revoked_at,
  }
}
