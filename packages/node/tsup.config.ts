import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }

const adapters = ['express', 'fastify', 'hono', 'next'].map((name) => `src/webhook/${name}.ts`)

export default defineConfig({
  target: 'node20',
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  // Bundles no schemas of the contract, which a bundle of `verifyWebhook` alone does not use.
  noExternal: ['@payment-intents/contract/options', '@payment-intents/contract/redact'],
  // The `browser` export condition resolves to the second entry, with the types of the first.
  entry: ['src/index.ts', 'src/browser.ts', ...adapters],
  format: ['esm', 'cjs'],
  // `bundle` writes no declarations and keeps existing ones.
  clean: ['!**/*.d.{ts,cts}'],
})
