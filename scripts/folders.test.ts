import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** The most files that stand side by side, tests included. */
const limit = 20

const sources = globSync(
  ['{apps,packages,tests}/*/{src,test}/**/*.{ts,tsx}', 'tests/support/**/*.ts'],
  {
    cwd: root,
  },
).filter((path) => !path.includes('node_modules'))

/** Relative imports that are there at run time. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const statements = text.matchAll(
    /^(?:import|export) (?!type )[^';]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm,
  )
  return [...statements]
    .filter(([statement]) => !/^(import|export) \{(\s*type [^,}]+,?)+\s*\}/.test(statement))
    .map(([, from, bare]) => relative(root, join(root, dirname(path), from ?? bare ?? '')))
}

test('no folder is a heap', () => {
  const sizes = Map.groupBy(sources, dirname)
  const heaps = [...sizes].filter(([, files]) => files.length > limit)
  expect(heaps.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
})

test('folders of one folder import each other in one direction', () => {
  const isProduct = (path: string) =>
    /\/src\//.test(path) && !/^tests\/|\.test(-d)?\.tsx?$/.test(path)
  const edges = new Map<string, Map<string, string>>()
  for (const path of sources.filter(isProduct)) {
    for (const target of importsOf(path)) {
      const [from, to] = siblings(path, target)
      if (!from || !to) continue
      if (!edges.has(from)) edges.set(from, new Map())
      edges.get(from)?.set(to, `${path} imports ${target}`)
    }
  }
  expect([...edges.keys()].flatMap((folder) => circleThrough(folder, edges))).toEqual([])
})

/** The folders in which two files differ first; a file beside folders counts for none. */
function siblings(item: string, other: string): [from?: string, to?: string] {
  const [a, b] = [dirname(item).split(sep), dirname(other).split(sep)]
  const shared = a.findIndex((name, at) => name !== b[at])
  if (shared === -1 || b[shared] === undefined) return []
  return [a.slice(0, shared + 1).join('/'), b.slice(0, shared + 1).join('/')]
}

/** The imports by which a folder reaches itself again, in order. */
function circleThrough(start: string, edges: Map<string, Map<string, string>>): string[] {
  const ways: { at: string; imports: string[] }[] = [{ at: start, imports: [] }]
  const visited = new Set<string>()
  for (const { at, imports } of ways) {
    for (const [next, by] of edges.get(at) ?? []) {
      if (next === start) return [[...imports, by].join(', ')]
      if (!visited.has(next)) ways.push({ at: next, imports: [...imports, by] })
      visited.add(next)
    }
  }
  return []
}
