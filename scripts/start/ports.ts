import { createServer } from 'node:net'
import { Failure } from './failure.ts'

export type Ports = {
  readonly api: number
  readonly shop: number
  readonly dashboard: number
  readonly chain: number
  readonly polygonChain: number
}

const defaults = {
  API_PORT: { port: 4242, use: 'The API' },
  SHOP_PORT: { port: 4243, use: 'The shop' },
  DASHBOARD_PORT: { port: 4244, use: 'The dashboard' },
  CHAIN_PORT: { port: 8545, use: 'The development chain of Base' },
  CHAIN_PORT_POLYGON: { port: 8546, use: 'The development chain of Polygon' },
} as const

type Variable = keyof typeof defaults

/**
 * The ports, each of them free.
 *
 * @throws Failure naming the port that is taken and the variable that changes it
 */
export async function choosePorts(env: Record<string, string | undefined>): Promise<Ports> {
  const ports = {
    api: readPort('API_PORT', env),
    shop: readPort('SHOP_PORT', env),
    dashboard: readPort('DASHBOARD_PORT', env),
    chain: readPort('CHAIN_PORT', env),
    polygonChain: readPort('CHAIN_PORT_POLYGON', env),
  }
  if (new Set(Object.values(ports)).size < Object.keys(defaults).length)
    throw new Failure(`${Object.keys(defaults).join(', ')} must be different ports.`)
  await assertFree('API_PORT', ports.api)
  await assertFree('SHOP_PORT', ports.shop)
  await assertFree('DASHBOARD_PORT', ports.dashboard)
  await assertFree('CHAIN_PORT', ports.chain)
  await assertFree('CHAIN_PORT_POLYGON', ports.polygonChain)
  return ports
}

function readPort(variable: Variable, env: Record<string, string | undefined>): number {
  const port = Number(env[variable] || defaults[variable].port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Failure(`${variable} must be a port from 1 to 65535, not "${env[variable]}".`)
  return port
}

/** Tries each address, since a wildcard listener and a loopback listener do not collide on every system. */
async function assertFree(variable: Variable, port: number): Promise<void> {
  for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0']) {
    if ((await tryToListen(host, port)) === 'taken')
      throw new Failure(
        `${defaults[variable].use} needs port ${port}, which is taken: stop what listens there, an earlier start perhaps, or choose another port with ${variable}, as in \`${variable}=${port < 65_000 ? port + 100 : port - 100} npx --yes pnpm@12 start\`.`,
      )
  }
}

function tryToListen(host: string, port: number): Promise<'free' | 'taken'> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('taken')
      // For example, a machine without IPv6 has no such address.
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve('free')
      else if (error.code === 'EACCES')
        reject(
          new Failure(`Port ${port} is reserved for the administrator; choose a port above 1023.`),
        )
      else reject(error)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('free')))
  })
}
