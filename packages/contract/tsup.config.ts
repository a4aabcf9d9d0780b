import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['index', 'chains', 'errors', 'options', 'redact', 'signing', 'usdc'].map(
    (name) => `src/${name}.ts`,
  ),
  format: ['esm', 'cjs'],
  // `bundle` writes no declarations and keeps existing ones.
  clean: ['!**/*.d.{ts,cts}'],
  target: 'node20',
})
