import { chains } from '@payment-intents/contract'
import type { Config } from '../config.ts'
import { isLocal } from './isLocal.ts'
import { rpcVariable } from './readChainConfig.ts'
import { relayerVariable } from './relayer.ts'
import type { Env } from './variables.ts'

/** Finds valid settings that exclude each other. @returns a fault for each */
export function findConflicts(env: Env, config: Config, development: boolean): string[] {
  return [
    ...refuseDevelopment(env, config, development),
    ...refuseUnused(env),
    ...refuseDashboard(env, config),
  ]
}

/** Refuses development settings where real money is accepted: they would admit strangers, or reveal a payer's secrets. */
function refuseDevelopment(env: Env, config: Config, development: boolean): string[] {
  const mainnets = chains
    .filter(({ mode }) => mode === 'mainnet')
    .map(rpcVariable)
    .filter((name) => env[name])
  if (mainnets.length === 0) return []
  const rpcs = mainnets.join(' and ')
  const faults = chains.map(rpcVariable).flatMap((name) => refusePlain(name, env[name] ?? ''))
  if (development) {
    faults.push(
      `DEVELOPMENT_CHAIN: lets every holder of a test key move this server’s clock; unset it, or unset ${rpcs}`,
    )
  }
  if (config.webhookAllowPrivate) {
    faults.push(
      `WEBHOOK_ALLOW_PRIVATE: lets every merchant post to this machine and its network; unset it, or unset ${rpcs}. For a shop in this server’s own network set WEBHOOK_ALLOW_HOSTS, such as shop.internal:8080`,
    )
  }
  if (config.publicUrl?.startsWith('http:')) {
    const current = env.PUBLIC_URL ? `found ${config.publicUrl}` : 'it is not set'
    faults.push(
      `PUBLIC_URL: must be https beside ${rpcs}, such as https://pay.example.com; ${current}`,
    )
  }
  return faults
}

/** Anyone on the path to a plain RPC of another network can read its key and invent payments. A fault names only the hosts. */
function refusePlain(name: string, urls: string): string[] {
  const hosts = urls
    .split(',')
    .map((url) => url.trim())
    .filter((url) => /^(http|ws):/i.test(url) && URL.canParse(url) && !isLocal(url))
    .map((url) => `${new URL(url).protocol}//${new URL(url).host}`)
  if (hosts.length === 0) return []
  const example = 'such as https://rpc.example.com/key'
  return [
    `${name}: must be https:// or wss:// for a host outside this server’s own network, ${example}; found ${hosts.join(' and ')}`,
  ]
}

/** Refuses a relayer of a chain that is not followed, which would never submit anything. */
function refuseUnused(env: Env): string[] {
  return chains.flatMap((facts) => {
    const [key, rpc] = [relayerVariable('KEY', facts), rpcVariable(facts)]
    return env[key] && !env[rpc] ? [`${key}: needs ${rpc}, which is not set`] : []
  })
}

/** Refuses a shared origin: a payers' page could act as the person who is signed in. */
function refuseDashboard(env: Env, { dashboard, publicUrl, port }: Config): string[] {
  if (!dashboard) {
    return env.DASHBOARD_PORT ? ['DASHBOARD_PORT: needs DASHBOARD_URL, which is not set'] : []
  }
  const faults: string[] = []
  // An invalid variable is undefined here, although its type excludes that.
  if (publicUrl && dashboard.url === new URL(publicUrl).origin) {
    faults.push(
      `DASHBOARD_URL: must be another origin than PUBLIC_URL, such as https://dashboard.example.com; found ${dashboard.url}`,
    )
  }
  if (dashboard.port === port && port !== 0) {
    faults.push(`DASHBOARD_PORT: must be another port than PORT; found ${port}`)
  }
  return faults
}
