import { defineConfig } from 'tsup'

export default defineConfig({
  // The second is what the `browser` export condition resolves to, under the types of the first.
  entry: ['src/index.ts', 'src/browser.ts'],
  format: ['esm', 'cjs'],
  dts: { entry: 'src/index.ts' },
  clean: true,
  target: 'node20',
})
