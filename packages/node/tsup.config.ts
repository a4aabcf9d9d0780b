import { defineConfig, type Options } from 'tsup'
import manifest from './package.json' with { type: 'json' }

const adapters = ['express', 'fastify', 'hono', 'next'].map((name) => `src/webhook/${name}.ts`)
const common = {
  target: 'node20',
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  // Without the schemas of the contract, which a bundle of `verifyWebhook` alone has no use for.
  noExternal: ['@payment-intents/contract/options'],
} satisfies Options

export default defineConfig([
  {
    ...common,
    // The second is what the `browser` export condition resolves to, under the types of the first.
    entry: ['src/index.ts', 'src/browser.ts', ...adapters],
    format: ['esm', 'cjs'],
    // Keeps what the other build has written, and declarations, which `bundle` does not write.
    clean: ['!cli.js', '!**/*.d.{ts,cts}'],
  },
  {
    ...common,
    // Built separately, so that it shares no chunks with the library.
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    splitting: false,
  },
])
