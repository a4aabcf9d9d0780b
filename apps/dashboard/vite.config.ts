import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    // The server's policy allows no inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'preview.html'],
      onLog(level, log, print) {
        // 'use client' matters only to servers that render React.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
      },
    },
  },
})
