import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { looksRandom } from '../lib/crypto/entropy.ts'
import { readWebhookTarget } from '../lib/webhookTargets.ts'
import { isLocal } from './isLocal.ts'
import { listOf, notRandom } from './variables.ts'

/** How many proxies stand in front, or their addresses; false: none. Clients can write the entries before theirs. */
export type TrustProxy = false | number | readonly string[]

export const trustProxy = z
  .string()
  .default('false')
  .transform((text, context): TrustProxy => {
    if (/^(false|0)$/i.test(text)) return false
    if (/^true$/i.test(text)) return 1
    if (/^[1-9]\d?$/.test(text)) return Number(text)
    const addresses = text.split(',').map((part) => part.trim())
    const isNetwork = (text: string) =>
      isIP(text.split('/', 1)[0] ?? '') && ipaddr.isValidCIDR(text)
    if (addresses.every((address) => isIP(address) || isNetwork(address))) return addresses
    context.addIssue('is something else')
    return z.NEVER
  })
  .describe(
    'the number of proxies in front of this server, such as 1, or their addresses, such as 10.0.0.0/8,192.168.1.7',
  )
export const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/ })
  .optional()
  .describe(
    'a URL such as postgres://user:password@db.example.com:5432/payments, with the special characters of the password percent-encoded (# is %23, / is %2F, @ is %40)',
  )
export const publicUrl = (standard: string) =>
  z
    .url({ protocol: /^https?$/ })
    .default(standard)
    .describe(
      'the URL where merchants and pages reach this server, such as https://pay.example.com',
    )
/** Passkeys and cookies of a session need HTTPS; browsers make an exception for this machine. */
export const dashboardUrl = z
  .url({ protocol: /^https?$/ })
  .transform((text, context) => {
    const { origin, protocol, pathname, search, hash } = new URL(text)
    const isOrigin = pathname === '/' && search === '' && hash === ''
    if (isOrigin && (protocol === 'https:' || isLocal(text))) return origin
    context.addIssue('is something else')
    return z.NEVER
  })
  .optional()
  .describe(
    'an https:// URL without a path, such as https://dashboard.example.com, or http:// on this machine, such as http://localhost:4243',
  )
export const rpcUrls = listOf(z.url({ protocol: /^(https?|wss?)$/ }))
  .optional()
  .describe(
    'one or more URLs of JSON-RPC endpoints, separated by commas, such as https://rpc.example.com/key',
  )
const webhookTarget = z.string().transform((text, context) => {
  const target = readWebhookTarget(text)
  if (!target) context.addIssue('is something else')
  return target ?? z.NEVER
})
export const webhookTargets = listOf(webhookTarget)
  .optional()
  .describe(
    'hosts, addresses or networks, each with a port unless that is 80 or 443, separated by commas, such as shop.internal:8080,10.0.5.0/24',
  )
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
export const logLevel = z
  .enum(logLevels)
  .default('info')
  .describe(`one of ${logLevels.join(', ')}`)
/** Days for which data promised to merchants is kept; 0 becomes null: data is never deleted. */
export const days = (minimum: number, standard: number) =>
  z
    .string()
    .regex(/^\s*\d{1,6}\s*$/)
    .transform(Number)
    .refine((count) => count === 0 || count >= minimum)
    .default(standard)
    .transform((count) => count || null)
    .describe(`a whole number of days, ${minimum} or more, such as ${standard}; or 0 to keep all`)
export const opensslLine = 'make one with: openssl rand -hex 32'
export const serverSecret = z
  .string()
  .min(32)
  .refine(looksRandom, notRandom)
  .optional()
  .describe(`at least 32 random characters; ${opensslLine}`)
