import { request } from 'undici'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { userAgent } from '../../version.ts'
import { checkMs, type Finding, fail, ok } from './finding.ts'

const refusal = z.object({ error: z.enum(['session_invalid', 'forbidden']) })

/** Checks from this machine whether the dashboard responds at its URL. */
export async function checkDashboardUrl({
  dashboard,
}: Pick<Config, 'dashboard'>): Promise<Finding[]> {
  if (!dashboard) return []
  const { url, port } = dashboard
  const check = 'dashboard url'
  const todo = `start the server, or correct DASHBOARD_URL, its DNS, its certificate, or the proxy in front, which must forward to port ${port} of the server`
  try {
    const { statusCode, body } = await request(`${url}/account/session`, {
      signal: AbortSignal.timeout(checkMs),
      headers: { 'payment-intents-mode': 'testnet', 'user-agent': userAgent },
    })
    const refusedBody = refusal.safeParse(await body.json().catch(() => null))
    if (!refusedBody.success) {
      return [fail(check, `${url} responds ${statusCode}, and is not the dashboard`, todo)]
    }
    if (refusedBody.data.error === 'forbidden') {
      const summary = `the dashboard at ${url} receives another Host header than browsers send`
      return [fail(check, summary, 'let the proxy in front pass the Host header unchanged')]
    }
    return [ok(check, `the dashboard responds at ${url}`)]
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    return [fail(check, `${url} does not respond (${message || code})`, todo)]
  }
}
