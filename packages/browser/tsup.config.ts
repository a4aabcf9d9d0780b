import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { privateNames, shortenSources, withoutUnusedQr } from './shorten.ts'
import { languages, readMessages } from './test/support/readMessages.ts'

/**
 * No getter here has side effects, no code reads the length of a function, and `String(x)` may be `x + ''`. A function that
 * is called once compresses better where it is, and a comparison with the property first.
 */
const bold = {
  ...{
    unsafe: true,
    unsafe_arrows: true,
    unsafe_methods: true,
    pure_getters: true,
    keep_fargs: false,
    inline: 1,
  },
  lhs_constants: false,
} as const

/** The same names in each file of a build, so that files can pass objects: esbuild shortens them before it splits. */
const mangleProps = new RegExp(`^(?:${privateNames().join('|')})$`)

/** Placeholder for the hash of the second file of the script tag. */
const linkFileHash = '$LINK_FILE'

/** In one text, they compress better. */
const sheets = ['src/shell/shell.css', 'src/view/styles.css', 'src/view/manualParts.css'] as const

/** Custom properties of the sheets alone, which are written as numbers. */
const sheetProperties =
  'paper ink soft radius muted line raised accent on-accent ok warn warn-paper'.split(' ')
const renamed = new RegExp(`--(${sheetProperties.join('|')})(?![\\w-])`, 'g')

export default defineConfig([
  {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    platform: 'browser',
    target: 'es2022',
    // Keeps the modal in a file of its own in both formats, fetched or required when it is opened.
    splitting: true,
    // `bundle` creates none, and keeps existing ones.
    clean: ['!**/*.d.{ts,cts}'],
    // A few percent smaller once a bundler has minified it again.
    minify: 'terser',
    terserOptions: {
      compress: { ecma: 2020, passes: 4, ...bold, reduce_funcs: false, hoist_funs: true },
      // A comment in an import keeps bundlers from resolving a computed address.
      format: { ascii_only: true, comments: /webpackIgnore/ },
    },
    esbuildPlugins: [
      ...['view/manualParts.ts', 'link/mountLink.tsx'].map(privateCopies),
      ...[styleText([]), shortenSources()],
    ],
    esbuildOptions(options) {
      options.mangleProps = mangleProps
    },
  },
  {
    // A separate entry, since the checkout does not need its code to recompute references and decode calldata.
    entry: { receipt: 'src/receipt/verifyReceipt.ts' },
    format: ['esm', 'cjs'],
    target: 'es2022',
    splitting: false,
    esbuildOptions: fromSource,
    // Keeps the output of the other builds.
    clean: false,
  },
  {
    entry: { script: 'src/script.ts', link: 'src/link/linkFile.ts' },
    ...page(),
    esbuildOptions(options, context) {
      page().esbuildOptions?.(options, context)
      // The second file gets parts of the first: with a cache, it takes over the names that the first has.
      options.mangleCache = {}
      // First: it compresses a little better when no text is between the code.
      options.inject = ['src/locales/en.ts']
    },
    async onSuccess() {
      pinLinkFile('dist')
      mkdirSync('dist/locales', { recursive: true })
      for (const language of ['en', ...languages]) {
        const messages = await readMessages(language)
        writeFileSync(`dist/locales/${language}.json`, JSON.stringify(messages))
      }
      const [hash, linkHash] = ['script', 'link'].map(
        (name) =>
          `sha384-${createHash('sha384')
            .update(readFileSync(`dist/${name}.js`))
            .digest('base64')}`,
      )
      console.log(`dist/script.js  integrity="${hash}" crossorigin="anonymous"`)
      console.log(`CSP  script-src '${hash}'; connect-src <service>; img-src data:`)
      console.log(
        `CSP of a page with payment links  script-src '${hash}' '${linkHash}'; img-src <service>`,
      )
    },
  },
  {
    entry: { checkoutPage: 'src/hosted/page.ts' },
    ...page(),
  },
  {
    entry: { linkPage: 'src/hosted/linkPage.ts' },
    ...page(),
  },
  {
    entry: { receiptPage: 'src/receipt/page.tsx' },
    ...page(),
  },
  {
    entry: { refundPage: 'src/refund/page.tsx' },
    ...page(),
  },
])

/** Writes the hash of the script tag's second file into the first, which loads no other. */
export function pinLinkFile(folder: string): void {
  const hash = createHash('sha384')
    .update(readFileSync(`${folder}/link.js`))
    .digest('base64')
  const script = readFileSync(`${folder}/script.js`, 'utf8')
  if (!script.includes(linkFileHash)) throw new Error('The script loads its second file unpinned.')
  writeFileSync(`${folder}/script.js`, script.replace(linkFileHash, hash))
}

/** Imports workspace packages from their sources, and bundles only the parts in use. */
function fromSource(options: { conditions?: string[] }): void {
  options.conditions = ['source']
}

/** A script that a page loads by itself. */
function page(): Options {
  return {
    format: ['iife'],
    platform: 'browser',
    target: 'es2022',
    // 5 % smaller than with esbuild alone.
    minify: 'terser',
    terserOptions: {
      ...{ ecma: 2020, toplevel: true, compress: { ecma: 2020, passes: 3, ...bold } },
      mangle: { toplevel: true },
      // The page may have another encoding than the script.
      format: { ascii_only: true },
    },
    esbuildOptions(options) {
      options.minifySyntax = true
      options.mangleProps = mangleProps
      fromSource(options)
    },
    noExternal: [/./],
    outExtension: () => ({ js: '.js' }),
    esbuildPlugins: [styleText(sheets), shortenSources(), leanerQr()],
    clean: false,
  }
}

/**
 * Gives a file that is loaded on demand its own copies of its imports: a bundler would move the imports that it shares
 * with the modal to one more file, for everybody.
 */
function privateCopies(entry: string): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'own-copies',
    setup(build) {
      build.onResolve({ filter: /^\..*\.tsx?$/ }, ({ path, resolveDir, pluginData }) => {
        const file = join(resolveDir, path)
        const isPrivate = pluginData === entry || file.endsWith(entry)
        return isPrivate
          ? { path: file, suffix: `?${entry}`, pluginData: entry, sideEffects: false }
          : undefined
      })
    },
  }
}

/** Removes the parts of lean-qr that the checkout never calls. */
function leanerQr(): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'leaner-qr',
    setup(build) {
      build.onLoad({ filter: /lean-qr[\\/]nano\.mjs$/ }, ({ path }) => ({
        contents: withoutUnusedQr(readFileSync(path, 'utf8')),
      }))
    },
  }
}

/**
 * Imports a style sheet as its minified text; the modal constructs it in its shadow root.
 *
 * @param joined sheets that are in the first of them, and empty where they are imported themselves
 */
function styleText(joined: readonly string[]): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'style-text',
    setup(build) {
      build.onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({
        // Relative: it is in the output, as a comment and in the hashes of the files' names.
        path: relative(import.meta.dirname, join(resolveDir, path)),
        namespace: 'style-text',
      }))
      build.onLoad({ filter: /./, namespace: 'style-text' }, async ({ path }) => {
        const file = path.replace('?raw', '')
        const files = file === joined[0] ? joined : joined.includes(file) ? [] : [file]
        const css = files
          .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
          .join('')
        const { code } = await build.esbuild.transform(css, { loader: 'css', minify: true })
        // esbuild keeps the spaces of custom properties, where they may have a meaning; these have none.
        const contents = code
          .trim()
          .replace(renamed, (_, name) => `--${sheetProperties.indexOf(name)}`)
          .replace(/(?<=--[\w-]+:) |(?<=,) |(?<=\w) (?=\/)|(?<=\/) (?=\w)/g, '')
        return { contents, loader: 'text' }
      })
    },
  }
}
