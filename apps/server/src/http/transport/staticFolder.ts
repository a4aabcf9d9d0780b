import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { type StaticFile, staticFile } from './staticFile.ts'

/** The files of a folder that a build has made. */
export type StaticFolder = {
  /** Paths below the folder, as addresses name them. */
  readonly paths: ReadonlySet<string>
  /** Reads a file at the first request for it. */
  open(path: string): Promise<StaticFile>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/**
 * @param cacheControl of a file, by its path; as other static files by default
 * @returns null: it has not been built
 */
export function openStaticFolder(
  folder: string,
  cacheControl: (path: string) => string | undefined = () => undefined,
): StaticFolder | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const files = new Map<string, Promise<StaticFile>>()
  return {
    paths: new Set(pathsIn(folder)),
    open(path) {
      const file = files.get(path) ?? read(folder, path, cacheControl(path))
      files.set(path, file)
      return file
    },
  }
}

function pathsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)).replaceAll(sep, '/'),
  )
}

async function read(folder: string, path: string, cacheControl?: string): Promise<StaticFile> {
  const type = types[extname(path)] ?? 'text/plain; charset=utf-8'
  return staticFile(type, await readFile(join(folder, path)), cacheControl)
}
