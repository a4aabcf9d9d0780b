import { defineConfig } from 'tsup'

/** Apart from each other, so that who imports one loads nothing of the others. */
const entries = {
  index: 'src/index.ts',
  service: 'src/service/index.ts',
  webhooks: 'src/webhooks/index.ts',
  wallet: 'src/wallet/index.ts',
  faults: 'src/faultServer.ts',
}

export default defineConfig({
  entry: { ...entries, watchdog: 'src/watchdog.ts' },
  format: ['esm', 'cjs'],
  dts: { entry: entries },
  // `bundle` makes none, and leaves those there are.
  clean: ['!**/*.d.{ts,cts}'],
  // Private: what it holds is part of this package.
  noExternal: ['@payment-intents/rules'],
  shims: true,
  target: 'node20',
})
