import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { listenLocally } from '../../../support/listenLocally.ts'

export type Packed = {
  readonly manifest: {
    readonly name: string
    readonly version: string
    readonly dependencies?: Readonly<Record<string, string>>
  }
  /** Path of the tarball. */
  readonly tarball: string
}

export type Registry = { readonly url: string; close(): Promise<void> }

/** An npm registry of these packages and no others, so that they are installed by name as after a release. */
export async function startRegistry(packages: readonly Packed[]): Promise<Registry> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const tarball = packages.find((packed) => tarballName(packed) === path)
    if (tarball) return response.end(await readFile(tarball.tarball))
    const versions = packages.filter(({ manifest }) => manifest.name === path)
    const latest = versions[0]
    if (!latest) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        name: path,
        'dist-tags': { latest: latest.manifest.version },
        versions: Object.fromEntries(
          versions.map((packed) => [
            packed.manifest.version,
            {
              ...packed.manifest,
              dist: { tarball: `http://${request.headers.host}/${tarballName(packed)}` },
            },
          ]),
        ),
      }),
    )
  })
  const { url, close } = await listenLocally(server)
  return { url: `${url}/`, close }
}

function tarballName({ manifest }: Packed): string {
  return `${manifest.name}/-/${manifest.version}.tgz`
}
