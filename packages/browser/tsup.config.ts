import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { readWords } from './test/readWords.ts'

/** Nothing here has getters that do something, or functions that are asked how many arguments they take. */
const bold = { unsafe_arrows: true, pure_getters: true, keep_fargs: false }

export default defineConfig([
  {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    platform: 'browser',
    target: 'es2022',
    dts: true,
    // Keeps the modal in a file of its own in both formats, fetched or required when it is opened.
    splitting: true,
    // `bundle` makes none, and leaves those there are.
    clean: ['!**/*.d.{ts,cts}'],
    esbuildPlugins: [styleText()],
  },
  {
    entry: { script: 'src/script.ts' },
    format: ['iife'],
    platform: 'browser',
    target: 'es2022',
    // A twentieth smaller than by esbuild alone.
    minify: 'terser',
    terserOptions: {
      ...{ ecma: 2020, toplevel: true, compress: { ecma: 2020, passes: 3, ...bold } },
      // A page may be in another encoding than the script.
      format: { ascii_only: true },
    },
    esbuildOptions(options) {
      options.minifySyntax = true
    },
    noExternal: [/./],
    outExtension: () => ({ js: '.js' }),
    esbuildPlugins: [styleText()],
    async onSuccess() {
      mkdirSync('dist/locales', { recursive: true })
      for (const [language, words] of await readWords(resolve('src/locales'))) {
        writeFileSync(`dist/locales/${language}.json`, JSON.stringify(words))
      }
      const hash = createHash('sha384').update(readFileSync('dist/script.js')).digest('base64')
      console.log(`dist/script.js  integrity="sha384-${hash}" crossorigin="anonymous"`)
      console.log(`CSP  script-src 'sha384-${hash}'; connect-src <service>; img-src data:`)
    },
  },
])

/** A style sheet imported as its own text, minified; the modal constructs it in its shadow root. */
function styleText(): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'style-text',
    setup(build) {
      build.onResolve({ filter: /\.css\?raw$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path),
        namespace: 'style-text',
      }))
      build.onLoad({ filter: /./, namespace: 'style-text' }, async ({ path }) => {
        const css = readFileSync(path.replace('?raw', ''), 'utf8')
        const { code } = await build.esbuild.transform(css, { loader: 'css', minify: true })
        return { contents: code.trim(), loader: 'text' }
      })
    },
  }
}
