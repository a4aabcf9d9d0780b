import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../../../packages/testing/src/devChain/freePort.ts'
import { newFolder } from '../../../../../tests/support/newFolder.ts'

export type Replicas = {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Kills the primary, like a power cut. */
  killPrimary(): void
  promoteStandby(): void
}

const debian = '/usr/lib/postgresql'
const [version] = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
const bin = join(debian, version ?? '', 'bin')
/** Whether Debian's package `postgresql` is installed: the binaries from npm lack `pg_basebackup`. */
export const hasReplicas = existsSync(join(bin, 'pg_basebackup'))

/** Starts a PostgreSQL and a standby with synchronous replication, which run until the test ends. */
export async function startReplicas(): Promise<Replicas> {
  const [port, standbyPort] = [await freePort(), await freePort()]
  const folder = newFolder()
  chmodSync(folder, 0o777)
  const [primary, standby] = [join(folder, 'primary'), join(folder, 'standby')]
  run('initdb', '-D', primary, '-A', 'trust', '-U', 'payments')
  control(primary, 'start', '-o', settings(port, folder))
  onTestFinished(() => stop(primary))
  const source = ['-h', '127.0.0.1', '-p', String(port), '-U', 'payments']
  run('pg_basebackup', '-D', standby, '-R', '-c', 'fast', ...source)
  control(standby, 'start', '-o', settings(standbyPort, folder))
  onTestFinished(() => stop(standby))
  const demand = `alter system set synchronous_standby_names = '*'`
  for (const sql of [demand, 'select pg_reload_conf()']) {
    run('psql', ...source, '-d', 'postgres', '-c', sql)
  }
  const url = (of: number) => `postgres://payments@127.0.0.1:${of}/postgres`
  return {
    ...{ primaryUrl: url(port), standbyUrl: url(standbyPort) },
    killPrimary: () => control(primary, 'stop', '-m', 'immediate'),
    promoteStandby() {
      run(
        'psql',
        '-h',
        '127.0.0.1',
        '-p',
        String(standbyPort),
        '-U',
        'payments',
        '-d',
        'postgres',
        '-c',
        `alter system set synchronous_standby_names = ''`,
      )
      control(standby, 'promote')
    },
  }
}

function settings(port: number, folder: string): string {
  return `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`
}

function control(data: string, ...args: string[]): void {
  run('pg_ctl', '-D', data, '-w', '-s', '-l', `${data}.log`, ...args)
}

function stop(data: string): void {
  if (existsSync(join(data, 'postmaster.pid'))) control(data, 'stop', '-m', 'immediate')
}

/** Runs a program of PostgreSQL, which refuses to run as root. */
function run(program: string, ...args: string[]): void {
  const command = [join(bin, program), ...args]
  const isRoot = process.getuid?.() === 0
  const [first = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
  execFileSync(first, rest, { cwd: '/', stdio: 'ignore' })
}
