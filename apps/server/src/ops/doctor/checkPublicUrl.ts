import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { serverKeyOf } from '../../lib/crypto/serverKey.ts'
import type { Secrets } from '../../store/merchants/serverKeys.ts'
import { userAgent } from '../../version.ts'
import { checkMs, type Finding, fail, ok } from './finding.ts'

const liveness = z.object({ status: z.literal('ok'), installation: z.string() })

/** Checks from this machine whether a server of this installation responds at the public URL. */
export async function checkPublicUrl(
  config: Pick<Config, 'publicUrl'> & Secrets,
): Promise<Finding> {
  const { publicUrl } = config
  const check = 'public url'
  const todo =
    'start the server, or correct PUBLIC_URL, its DNS, its certificate, or the proxy in front'
  try {
    const signal = AbortSignal.timeout(checkMs)
    const { statusCode, body } = await request(`${publicUrl}/livez`, {
      signal,
      headers: { accept: 'application/json', 'user-agent': userAgent },
    })
    const status = liveness.safeParse(parse(await body.text()))
    if (statusCode !== 200 || !status.success) {
      const summary = `${publicUrl}/livez responds ${statusCode}, and is not this server`
      return fail(check, summary, todo)
    }
    const expected = await installations(config)
    if (expected.length > 0 && !expected.includes(status.data.installation)) {
      const summary = `the server at ${publicUrl} has another SERVER_SECRET, so it is another installation`
      return fail(
        check,
        summary,
        'correct PUBLIC_URL, or restart that server with the same variables',
      )
    }
    return ok(check, `the server responds at ${publicUrl}`)
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    return fail(check, `${publicUrl} does not respond (${message || code})`, todo)
  }
}

/** The ids that a server of this installation may report; empty before there is a secret. */
async function installations({
  serverSecret,
  previousSecrets,
  dataDir,
}: Secrets): Promise<string[]> {
  const storedSecret = () => readFile(join(dataDir, 'server.secret'), 'utf8').catch(() => null)
  const secret = serverSecret ?? (await storedSecret())
  return [secret ?? [], ...previousSecrets]
    .flat()
    .map((candidate) => serverKeyOf(candidate).installation)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
