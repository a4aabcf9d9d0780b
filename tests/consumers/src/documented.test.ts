import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, inject, test } from 'vitest'

type Manifest = { name: string; exports: Record<string, string | { require: { types: string } }> }

const scope = join(inject('projects'), 'backend/node_modules/@payment-intents')

// Its types are those of its functions' options and results: tests do not need their names.
const valuesOnly = ['testing']

function entriesOf(name: string): string[] {
  const folder = join(scope, name)
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [join(folder, target.require.types)],
  )
}

const names = readdirSync(scope)
const program = ts.createProgram(names.flatMap(entriesOf), {
  module: ts.ModuleKind.NodeNext,
  noLib: true,
  types: [],
})
const checker = program.getTypeChecker()

/** Names of what a package exports, from all its entries. */
function exportedNames(name: string, kinds: ts.SymbolFlags): string[] {
  return entriesOf(name).flatMap((entry) => {
    const source = program.getSourceFile(entry)
    const module = source && checker.getSymbolAtLocation(source)
    const exported = module ? checker.getExportsOfModule(module) : []
    return exported.flatMap((symbol) => {
      const isAlias = symbol.flags & ts.SymbolFlags.Alias
      const { flags } = isAlias ? checker.getAliasedSymbol(symbol) : symbol
      return flags & kinds ? [symbol.name] : []
    })
  })
}

test.each(names)('the README of %s names everything that it exports', (name) => {
  const { Type, Value } = ts.SymbolFlags
  const exported = exportedNames(name, valuesOnly.includes(name) ? Value : Value | Type)
  expect(exported.length).toBeGreaterThan(0)
  // The packed README, which the registry shows.
  const readme = readFileSync(join(scope, name, 'README.md'), 'utf8')
  expect(exported.filter((each) => !new RegExp(`\\b${each}\\b`).test(readme))).toEqual([])
})
