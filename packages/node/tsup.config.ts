import { defineConfig } from 'tsup'

const adapters = ['express', 'fastify', 'hono', 'next'].map((name) => `src/webhook/${name}.ts`)

export default defineConfig({
  // The second is what the `browser` export condition resolves to, under the types of the first.
  entry: ['src/index.ts', 'src/browser.ts', ...adapters],
  format: ['esm', 'cjs'],
  dts: { entry: ['src/index.ts', ...adapters] },
  clean: true,
  target: 'node20',
})
