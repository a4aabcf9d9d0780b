import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { foldersOfNames } from './checkedFolders.ts'

const root = join(import.meta.dirname, '..')

/**
 * Words that name a grammatical shape instead of a role, such as `given`, or that once named several things, such as
 * `reading`. A name says what a thing is in the field's terms.
 */
const words = new Set(
  [
    'act acted acts again answer answered answers aside ask asked asks beside doubt doubts fate fates found gate',
    'gates given gone kept known left one own rail rails reading readings right seen served share shares span',
    'spans tell tells tick ticks told trouble troubles whole witness witnesses wrong',
  ].flatMap((line) => line.split(' ')),
)

/** Names of the interface, or of a library or standard that the code uses. */
const exceptions = new Set([
  // Error codes and reasons of the interface, and the parameter of the test helpers.
  ...['merchant_not_found', 'intent_not_found', 'not_found', 'no_payable_amount_left'],
  ...['wrong_domain', 'wrong_merchant', 'wrong_address', 'rail'],
  // `seen_at` of a transfer.
  ...['seenAt', 'seen_at'],
  // The error codes of the checkout.
  ...['wallet_not_found', 'wrong_chain', 'end-not-found', 'pay-wallet-not-found'],
  // HTTP 404, and the router of the dashboard.
  ...['notFound', 'handleNotFound', 'notFoundError', 'notFoundReply', 'notFoundComponent'],
  // CSS and the edges of a rectangle in the DOM.
  ...['left', 'right', 'borderTopLeftRadius'],
  // Languages are written right to left.
  'isRightToLeft',
  // The Web Share API.
  ...['share', 'shareReceipt', 'canShareFile', 'shareLink'],
  // JSON Schema.
  'oneOf',
  // OpenTelemetry.
  ...[
    'span',
    'spans',
    'startSpan',
    'traceSpan',
    'SpanStart',
    'spanProcessors',
    'deliverySpan',
    'spansWith',
    'ReceivedSpan',
    'receivedSpans',
    'scopeSpans',
  ],
  // `select 1 as one`.
  'one',
  // JavaScript's own keys of an object.
  'ownKeys',
])

const paths = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...foldersOfNames],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  // Recorded files have the names of tests, and this test names what it must find.
  .filter((path) => !path.includes('/recorded/') && path !== 'scripts/names.test.ts')
const sources = paths
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('names say a role in the field’s terms', () => {
  expect(sources.length).toBeGreaterThan(500)
  const shapes = sources.flatMap(({ path, text }) =>
    [...declaredNames(text, path)].filter(isShape).map((name) => `${path}: ${name}`),
  )
  expect(shapes).toEqual([])
})

test('folders and files have names of their role', () => {
  expect(paths.filter((path) => path.split(/[/.]/).some(isShape))).toEqual([])
})

test('rows and columns in SQL have names of their role', () => {
  const shapes = sources.flatMap(({ path, text }) =>
    sqlNames(text)
      .filter(isShape)
      .map((name) => `${path}: ${name}`),
  )
  expect(shapes).toEqual([])
})

test('a declaration of any kind is found', () => {
  const source = `
    import { importedGiven } from 'x' // commentedGiven
    const plainGiven = 'quotedGiven', secondGiven = \`\${1} quotedGiven\`
    const { key: renamedGiven, shorthandGiven, ...restGiven } = usedGiven
    const [firstGiven = 1] = []
    function callGiven(parameterGiven: number, { nestedGiven }: T) { for (const itemGiven of []) {} }
    type TypeGiven<GenericGiven> = { propertyGiven: 1; readonly optionalGiven?: 1; methodGiven(a: 1): void }
    class ClassGiven { fieldGiven = 1; constructor(private ownedGiven: 1) {} }
    call({ literalGiven: 1, plainGiven, async shortGiven() {} }, (arrowGiven) => 1)
    try { use.memberGiven(usedGiven, /regexGiven/) } catch (caughtGiven) {}`
  expect(
    [...declaredNames(source, 'source.ts')].filter((name) => isShape(name)).toSorted(),
  ).toEqual(
    [
      ...['plainGiven', 'secondGiven', 'renamedGiven', 'shorthandGiven', 'restGiven', 'firstGiven'],
      ...['callGiven', 'parameterGiven', 'nestedGiven', 'itemGiven', 'TypeGiven', 'GenericGiven'],
      ...[
        'propertyGiven',
        'optionalGiven',
        'methodGiven',
        'ClassGiven',
        'fieldGiven',
        'ownedGiven',
      ],
      ...['literalGiven', 'shortGiven', 'arrowGiven', 'caughtGiven'],
    ].toSorted(),
  )
  const sql =
    'const a = `with gone as (select id as "isAsked" from t as known)`; const b = `as told`'
  expect(sqlNames(sql)).toEqual(['gone', 'isAsked', 'known'])
})

function isShape(name: string): boolean {
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/)
  return !exceptions.has(name) && parts.some((part) => words.has(part))
}

/** The names of CTEs, aliases and columns that the SQL of a source gives. */
function sqlNames(text: string): string[] {
  const statements = [...text.matchAll(/`[^`]*`/g)]
    .map(([statement]) => statement)
    .filter((statement) => /\b(select|insert into|update|delete from)\b/.test(statement))
  return statements.flatMap((statement) =>
    [...statement.matchAll(/(?:\bwith|,)\s+(\w+) as\b|\bas\s+"?([A-Za-z_]+)"?/g)].map(
      ([, cte, alias]) => cte ?? alias ?? '',
    ),
  )
}

type Node = { readonly type?: string; readonly [key: string]: unknown }

/** The names that a source declares: variables, parameters, functions, types, their properties and methods. */
function declaredNames(text: string, path: string): Set<string> {
  const names = new Set<string>()
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node)
  return names

  function visit(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) visit(item)
    else if (value !== null && typeof value === 'object') {
      declare(value as Node)
      for (const child of Object.values(value)) visit(child)
    }
  }

  function declare(node: Node): void {
    const isShorthand = node.type === 'Property' && node.shorthand
    if ('key' in node && !node.computed && !isShorthand) addPattern(node.key)
    if (/^(Function|Class|TSTypeAlias|TSInterface|Variable)/.test(node.type ?? ''))
      addPattern(node.id)
    if (Array.isArray(node.params)) for (const parameter of node.params) addPattern(parameter)
    if (node.type === 'CatchClause') addPattern(node.param)
    if (node.type === 'TSTypeParameter') addPattern(node.name)
  }

  function addPattern(value: unknown): void {
    if (value === null || typeof value !== 'object') return
    const node = value as Node
    if (node.type === 'Identifier') names.add(String(node.name))
    else if (node.type === 'ObjectPattern')
      for (const property of node.properties as Node[]) addPattern(property.value ?? property)
    else if (node.type === 'ArrayPattern')
      for (const element of node.elements as unknown[]) addPattern(element)
    else if (node.type === 'AssignmentPattern') addPattern(node.left)
    else if (node.type === 'RestElement') addPattern(node.argument)
    else if (node.type === 'TSParameterProperty') addPattern(node.parameter)
  }
}
