import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, test } from 'vitest'

type Manifest = { name: string; exports: Record<string, string | { require: { types: string } }> }

const scope = join(inject('projects'), 'backend/node_modules/@payment-intents')

// Its types are those of its functions' options and results: a test has no need of their names.
const valuesOnly = ['testing']

/** Names of what a package exports, from all its entries. */
function exportedNames(folder: string, wanted: ts.SymbolFlags): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [join(folder, target.require.types)],
  )
  const options = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] }
  const program = ts.createProgram(entries, options)
  const checker = program.getTypeChecker()
  return entries.flatMap((entry) => {
    const source = program.getSourceFile(entry)
    const module = source && checker.getSymbolAtLocation(source)
    const exported = module ? checker.getExportsOfModule(module) : []
    return exported.flatMap((symbol) => {
      const isAlias = symbol.flags & ts.SymbolFlags.Alias
      const { flags } = isAlias ? checker.getAliasedSymbol(symbol) : symbol
      return flags & wanted ? [symbol.name] : []
    })
  })
}

test.each(readdirSync(scope))('the README of %s names everything that it exports', (name) => {
  const folder = join(scope, name)
  const { Type, Value } = ts.SymbolFlags
  const names = exportedNames(folder, valuesOnly.includes(name) ? Value : Value | Type)
  expect(names.length).toBeGreaterThan(0)
  // As it was packed: it is the page of the registry.
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(names.filter((exported) => !new RegExp(`\\b${exported}\\b`).test(readme))).toEqual([])
})
