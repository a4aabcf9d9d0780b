import { defineConfig } from 'tsup'

const adapters = ['express', 'fastify', 'hono', 'next'].map((name) => `src/webhook/${name}.ts`)

export default defineConfig([
  {
    // The second is what the `browser` export condition resolves to, under the types of the first.
    entry: ['src/index.ts', 'src/browser.ts', ...adapters],
    format: ['esm', 'cjs'],
    // Keeps what the other build has written, and declarations, which `bundle` does not write.
    clean: ['!cli.js', '!**/*.d.{ts,cts}'],
    target: 'node20',
  },
  {
    // Built separately, so that it shares no chunks with the library.
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    splitting: false,
    target: 'node20',
  },
])
