import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  // Here, since esbuild drops the directive of a source file that it bundles.
  banner: { js: '"use client";' },
})
