import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/chains.ts', 'src/errors.ts', 'src/signing.ts', 'src/usdc.ts'],
  format: ['esm', 'cjs'],
  // `bundle` writes no declarations and keeps existing ones.
  clean: ['!**/*.d.{ts,cts}'],
  target: 'node20',
})
