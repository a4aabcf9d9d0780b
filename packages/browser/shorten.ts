import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import type { Options } from 'tsup'
// @ts-expect-error: Terser exports neither its list of the platform's names nor its type.
import { domprops } from './node_modules/terser/tools/domprops.js'
import { en } from './src/locales/en.ts'
import { enManual } from './src/locales/enManual.ts'
import { linkMessages } from './src/locales/linkMessages.ts'

const sources = `${import.meta.dirname}/src`
const contract = `${import.meta.dirname}/../contract/src`

/** Files and folders whose types have objects that leave the checkout: into storage, to the page, a wallet or the service. */
const sharedPaths = [
  ...['checkoutOptions.ts', 'storage/walletRequests.ts', 'service/post.ts', 'script.ts'],
  ...['locales/', 'receipt/', 'refund/', 'wallet/'],
]
/** Files in these folders whose objects stay in the checkout. */
const unsharedFiles = ['problem', 'prepareOrder', 'requestWallet', 'checkPayment'].map(
  (name) => `wallet/${name}.ts`,
)
for (const path of [...sharedPaths, ...unsharedFiles]) {
  if (!existsSync(`${sources}/${path}`))
    throw new Error(`shorten.ts lists ${path}, which is missing.`)
}

function isShared(file: string): boolean {
  if (unsharedFiles.includes(file)) return false
  return sharedPaths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path))
}

/**
 * The properties that only the checkout's own code reads, whose names builds shorten: those of its own types. None is a
 * property of a shared type, of the contract, of the platform or of a message, and none is in quotes, since code may
 * read it by its text.
 */
export function privateNames(): readonly string[] {
  const names = new Set<string>()
  const unshortened = new Set<string>(domprops)
  const imports = filesOf(sources).flatMap(([, text]) => [...text.matchAll(/import\('(.*?)'\)/g)])
  const onDemand = new Set(imports.map(([, path = '']) => basename(path)))
  for (const [file, text] of filesOf(sources)) {
    for (const name of declaredBy(text)) (isShared(file) ? unshortened : names).add(name)
    const code = text.replace(/\b(?:Pick|Omit|Extract|Exclude)<[^>]*>/g, '')
    for (const [, word = ''] of code.matchAll(/'(\w+)'/g)) unshortened.add(word)
    // A file that is loaded on demand is an object with the names of its exports.
    if (onDemand.has(basename(file))) {
      for (const [, name = '', names = name] of code.matchAll(
        /^export (?:(?:async )?(?:function|const) (\w+)|\{(.*?)\})/gm,
      )) {
        for (const [word] of names.matchAll(/\w+/g)) unshortened.add(word)
      }
    }
    // Properties read from objects of other code, which have no type or are cast to a type.
    for (const [, names = ''] of code.matchAll(
      /\{([^{}]*)\}(?:: \w+)? = \(?(?:Object\(|\w+ \?\?|await)/g,
    )) {
      for (const [name] of names.matchAll(/\w+/g)) unshortened.add(name)
    }
  }
  for (const [, text] of filesOf(contract)) {
    for (const [name] of text.matchAll(/\w+(?=['"]?\??:)/g)) unshortened.add(name)
  }
  for (const [key, text] of Object.entries({ ...en, ...linkMessages })) {
    unshortened.add(key)
    for (const [, name = ''] of text.matchAll(/\{(\w+)\}/g)) unshortened.add(name)
  }
  return [...names].filter((name) => name.length > 2 && !unshortened.has(name)).sort()
}

/** The properties of the types that a file declares. */
function declaredBy(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  const types = code.match(/^(?:export )?type [\s\S]*?\n(?=\n|$(?![\s\S]))/gm) ?? []
  return types.flatMap((type) => type.match(/(?<=[{;,|]\s*|^\s+|readonly )\w+(?=\??[:(<])/gm) ?? [])
}

function filesOf(folder: string): readonly (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?!.*\.test(?:-d)?\.).*\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')])
}

/** Shortens the types of events and effects, and packs the English messages. */
export function shortenSources(): NonNullable<Options['esbuildPlugins']>[number] {
  const types = eventTypes()
  return {
    name: 'shorten-sources',
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, ({ path, pluginData }) => {
        const file = relative(sources, path)
        if (file.startsWith('..')) return undefined
        if (file === 'locales/en.ts') {
          const isFirst = ([key]: readonly [string, string]) => !(key in enManual)
          return packed('en', Object.fromEntries(Object.entries(en).filter(isFirst)))
        }
        if (file === 'locales/enManual.ts') return packed('enManual', enManual)
        const text = readFileSync(path, 'utf8')
        return {
          contents: text.replace(/'\w+'/g, (literal) => types.get(literal) ?? literal),
          loader: path.endsWith('x') ? 'tsx' : 'ts',
          pluginData,
        }
      })
    },
  }
}

/** The literals of the types of events and effects, which nothing but the reducer and its effects compares. */
export function eventTypes(): ReadonlyMap<string, string> {
  const state = readFileSync(`${sources}/checkout/state.ts`, 'utf8')
  const types = [...state.matchAll(/\| \{ type: '(\w+_\w+)'/g)].flatMap(([, type = '']) =>
    `${type}.title` in en ? [] : type,
  )
  return new Map(types.map((type, index) => [`'${type}'`, `'${index.toString(36)}'`]))
}

/** A module with messages as one text: a line has a key and its message, or a name with its title and its text. */
function packed(name: string, messages: Readonly<Record<string, string>>) {
  const lines = Object.entries(messages).flatMap(([key, text]) => {
    const [, prefix, part] = /^(.*)\.(title|text)$/.exec(key) ?? []
    const pair = [messages[`${prefix}.title`], messages[`${prefix}.text`]]
    if (!pair.every(Boolean)) return `${key}|${text}`
    return part === 'title' ? [[prefix, ...pair].join('|')] : []
  })
  const contents = `export const ${name} = Object.fromEntries(${JSON.stringify(lines.join('\n'))}.split('\\n').flatMap((line) => {
    const [name, first, text] = line.split('|')
    return text ? [[name + '.title', first], [name + '.text', text]] : [[name, first]]
  }))`
  return { contents, loader: 'js' as const }
}

/**
 * The code of lean-qr without how it draws on a canvas, since the checkout draws a path, without its options and their
 * checks, and so without the levels of error correction above the lowest.
 */
export function withoutUnusedQr(code: string): string {
  const edits: readonly (readonly [RegExp, (part: string, group: string) => string])[] = [
    [/,u\(o,\{on:.*?\},toCanvas\(t,o\)\{.*?\}(?=\}\))/, () => ''],
    [
      /\(t=n\(1\),\{minCorrectionLevel:r=0,minVersion:l=1\}=\{\}\)=>\{"string"!=typeof t&&n\(5\),/,
      () => 't=>{const r=0,l=1;',
    ],
    [/t=\[\.2,3\/8,5\/9,2\/3\],/, () => ''],
    [/t\[e\](?=\+)/, () => '.2'],
    // The table has a number for each of the four levels.
    [
      /n=4\*o\+e-4,f=("(?:[^"\\]|\\.)*")\.charCodeAt\(n\)/,
      (_, table) => {
        const lowest = [...JSON.parse(table)].filter((_, index) => index % 4 === 0)
        return `n=4*o-4,f=${JSON.stringify(lowest.join(''))}.charCodeAt(o-1)`
      },
    ],
  ]
  return edits.reduce((text, [part, by]) => {
    if (!part.test(text)) throw new Error(`lean-qr has no ${part} any more.`)
    return text.replace(part, by)
  }, code)
}
