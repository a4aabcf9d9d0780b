import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  // `bundle` writes no declarations and keeps existing ones.
  clean: ['!**/*.d.{ts,cts}'],
  target: 'es2022',
  // Here, since esbuild drops the directive of a source file that it bundles.
  banner: { js: '"use client";' },
})
