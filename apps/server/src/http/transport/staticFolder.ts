import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { type StaticFile, staticFile } from './staticFile.ts'

/** The files of a folder that a build wrote. */
export type StaticFolder = {
  /** Relative paths, with slashes. */
  readonly paths: ReadonlySet<string>
  /** Reads a file at the first call for it, and keeps it. */
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
 * @param cacheControl returns the header of a path; undefined: the default of static files
 * @returns null: the folder has not been built
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
