import { request } from 'undici'
import type { Config } from '../config.ts'
import { checkMs, type Finding, fail, ok } from './finding.ts'

/** Whether merchants and pages would find a server there, as far as this machine can see. */
export async function checkPublicUrl({ publicUrl }: Pick<Config, 'publicUrl'>): Promise<Finding> {
  const check = 'public url'
  const todo =
    'start the server, or correct PUBLIC_URL, its DNS, its certificate, or the proxy in front'
  try {
    const signal = AbortSignal.timeout(checkMs)
    const { statusCode, body } = await request(`${publicUrl}/livez`, { signal })
    const text = await body.text()
    if (statusCode === 200 && text.includes('"ok"'))
      return ok(check, `a server answers at ${publicUrl}`)
    return fail(
      check,
      `${publicUrl}/livez answers ${statusCode}, and not as this server does`,
      todo,
    )
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    return fail(check, `${publicUrl} does not answer (${message || code})`, todo)
  }
}
