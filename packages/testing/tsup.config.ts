import { defineConfig } from 'tsup'
import { compileToken } from './scripts/compileToken.ts'

export default defineConfig({
  entry: ['src/index.ts', 'src/watchdog.ts'],
  format: ['esm', 'cjs'],
  dts: { entry: 'src/index.ts' },
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
