import { type Agent, request } from 'undici'
import type { Config } from '../../config.ts'
import type { Db } from '../../store/connection/connect.ts'
import {
  type EnabledEndpoint,
  listEnabledEndpoints,
} from '../../store/webhook-endpoints/enabledEndpoints.ts'
import { userAgent } from '../../version.ts'
import { guardedAgent } from '../../webhooks/guardedAgent.ts'
import { createGuard, type Guard } from '../../webhooks/webhookGuard.ts'
import { checkMs, type Finding, ok, warn } from './finding.ts'

/** The maximum of endpoints that a check covers, oldest first. */
const maxEndpoints = 50

/** Checks whether webhook endpoints respond to `HEAD`. Any status is a response. */
export async function checkEndpoints(
  { pool }: Db,
  { webhookAllowPrivate: allowPrivate, webhookAllowed: allowed }: Config,
): Promise<Finding[]> {
  const endpoints = await listEnabledEndpoints(pool, maxEndpoints)
  if (endpoints.length === 0) return [ok('webhooks', 'no endpoint is enabled')]
  const guard = createGuard({ allowPrivate, allowed })
  const agent = guardedAgent(guard, { timeoutMs: checkMs })
  try {
    return await Promise.all(endpoints.map((endpoint) => checkEndpoint(endpoint, guard, agent)))
  } finally {
    await agent.destroy()
  }
}

async function checkEndpoint(
  { id, url, failingSince }: EnabledEndpoint,
  guard: Guard,
  agent: Agent,
): Promise<Finding> {
  const check = 'webhooks'
  // Name only the host: the path or query may hold a secret of the merchant.
  const where = `${id} at ${new URL(url).host}`
  try {
    guard.checkHost(new URL(url))
    const signal = AbortSignal.timeout(checkMs)
    const response = await request(url, {
      ...{ method: 'HEAD', dispatcher: agent, signal },
      headers: { accept: '*/*', 'user-agent': userAgent },
    })
    await response.body.dump()
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    const todo =
      'tell the merchant; the server retries events for three days, and the merchant can recover them after that'
    return warn(check, `${where} does not respond (${message || code})`, todo)
  }
  if (!failingSince) return ok(check, `${where} responds`)
  return warn(
    check,
    `${where} responds, but has refused every event since ${failingSince.toISOString()}`,
    `read why in its deliveries: GET /v1/webhook_endpoints/${id}/deliveries`,
  )
}
