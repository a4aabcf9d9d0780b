import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { privateNames, shortenSources } from './shorten.ts'
import { languages, readMessages } from './test/readMessages.ts'

/**
 * No getter here has side effects, no code reads the length of a function, and `String(x)` may be `x + ''`. A function that
 * is called once compresses better where it is.
 */
const bold = {
  ...{ unsafe: true, unsafe_arrows: true, pure_getters: true, keep_fargs: false, inline: 1 },
} as const

/** The same in each chunk: esbuild shortens them before it splits. */
const mangleProps = new RegExp(`^(?:${privateNames().join('|')})$`)

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
      compress: { ecma: 2020, passes: 4, ...bold, reduce_funcs: false },
      format: { ascii_only: true },
    },
    esbuildPlugins: [styleText(), shortenSources(true)],
    esbuildOptions(options) {
      options.mangleProps = mangleProps
    },
  },
  {
    // Weighs on nobody else: it recomputes references and decodes calldata.
    entry: { receipt: 'src/receipt/verifyReceipt.ts' },
    format: ['esm', 'cjs'],
    target: 'es2022',
    splitting: false,
    esbuildOptions: fromSource,
    // Keeps what the other builds have written.
    clean: false,
  },
  {
    entry: { script: 'src/script.ts' },
    ...page(),
    async onSuccess() {
      mkdirSync('dist/locales', { recursive: true })
      for (const language of languages) {
        const messages = await readMessages(language)
        writeFileSync(`dist/locales/${language}.json`, JSON.stringify(messages))
      }
      const hash = createHash('sha384').update(readFileSync('dist/script.js')).digest('base64')
      console.log(`dist/script.js  integrity="sha384-${hash}" crossorigin="anonymous"`)
      console.log(`CSP  script-src 'sha384-${hash}'; connect-src <service>; img-src data:`)
    },
  },
  {
    entry: { checkoutPage: 'src/hosted/page.ts' },
    ...page(),
  },
  {
    entry: { receiptPage: 'src/receipt/page.tsx' },
    ...page(),
  },
])

/** Imports workspace packages from their sources, of which only what is used is bundled. */
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
      ...{ ecma: 2020, toplevel: true, compress: { ecma: 2020, passes: 4, ...bold } },
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
    esbuildPlugins: [styleText(), shortenSources(false)],
    clean: false,
  }
}

/** Imports a style sheet as its minified text; the modal constructs it in its shadow root. */
function styleText(): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'style-text',
    setup(build) {
      build.onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({
        // Relative: it is in the output, as a comment and in the hashes of the files' names.
        path: relative(import.meta.dirname, join(resolveDir, path)),
        namespace: 'style-text',
      }))
      build.onLoad({ filter: /./, namespace: 'style-text' }, async ({ path }) => {
        const css = readFileSync(join(import.meta.dirname, path.replace('?raw', '')), 'utf8')
        const { code } = await build.esbuild.transform(css, { loader: 'css', minify: true })
        return { contents: code.trim(), loader: 'text' }
      })
    },
  }
}
