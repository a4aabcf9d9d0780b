import { defineConfig } from 'tsup'
import { compileToken } from './scripts/compileToken.ts'

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
  clean: true,
  shims: true,
  target: 'node20',
  esbuildPlugins: [
    {
      name: 'solidity',
      setup(build) {
        build.onLoad({ filter: /\.sol$/ }, () => ({ contents: compileToken(), loader: 'text' }))
      },
    },
  ],
})
