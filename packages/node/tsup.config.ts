import { defineConfig } from 'tsup'

const adapters = ['express', 'fastify', 'hono', 'next'].map((name) => `src/webhook/${name}.ts`)

export default defineConfig([
  {
    // The second is what the `browser` export condition resolves to, under the types of the first.
    entry: ['src/index.ts', 'src/browser.ts', ...adapters],
    format: ['esm', 'cjs'],
    dts: { entry: ['src/index.ts', ...adapters] },
    // The other build may be done before; a bundle is made without declarations.
    clean: ['!cli.js', '!**/*.d.{ts,cts}'],
    target: 'node20',
  },
  {
    // By itself, so that the library shares nothing with it.
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    splitting: false,
    target: 'node20',
  },
])
