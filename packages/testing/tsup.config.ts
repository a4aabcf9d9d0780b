import { defineConfig } from 'tsup'

/** Built separately, so that importing an entry loads no other entry. */
const entries = {
  index: 'src/index.ts',
  service: 'src/service/index.ts',
  webhooks: 'src/webhooks/index.ts',
  wallet: 'src/wallet/index.ts',
  checkout: 'src/checkout/index.ts',
  faults: 'src/faults/faultServer.ts',
}

const library = defineConfig({
  entry: { ...entries, watchdog: 'src/watchdog.ts' },
  format: ['esm', 'cjs'],
  // `bundle` writes no declarations and keeps existing ones.
  clean: ['!**/*.d.{ts,cts}', '!dev-wallet.js'],
  // A private package, which the build bundles, and the part of the contract without schemas.
  noExternal: ['@payment-intents/core', '@payment-intents/contract/options'],
  shims: true,
  target: 'node20',
})

/** For a script tag. */
const script = defineConfig({
  entry: { 'dev-wallet': 'src/wallet/devWallet.ts' },
  format: 'iife',
  outExtension: () => ({ js: '.js' }),
  platform: 'browser',
  noExternal: [/./],
  minify: true,
  target: 'es2022',
})

export default [library, script].flat()
