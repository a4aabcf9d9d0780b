import { createRequire } from 'node:module'

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Where the anvil program of this machine lies: in the platform package that `@foundry-rs/anvil` brings along.
 * Looked up from there, because a strict package manager shows it to nobody else.
 */
export function anvilPath(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const program = platform === 'win32' ? 'anvil.exe' : 'anvil'
  const name = `@foundry-rs/anvil-${platform}-${architectures[arch] ?? arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    return createRequire(wrapper).resolve(`${name}/bin/${program}`)
  } catch (cause) {
    throw new Error(
      `The development chain needs the package ${name}, which is not installed. ` +
        'Install again with optional dependencies; if there is no such package, anvil does not run on this platform.',
      { cause },
    )
  }
}
