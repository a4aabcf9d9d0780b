import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }

export default defineConfig({
  entry: { cli: 'src/main.ts' },
  format: 'esm',
  target: 'node20',
  define: { PACKAGE_VERSION: JSON.stringify(manifest.version) },
  clean: true,
})
