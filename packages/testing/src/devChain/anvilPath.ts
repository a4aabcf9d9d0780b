import { createRequire } from 'node:module'

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The path of the anvil program, in the platform package that `@foundry-rs/anvil` depends on. It is resolved from
 * there, because with a strict package manager only that package can.
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
