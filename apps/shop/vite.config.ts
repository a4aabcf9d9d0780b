import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    rolldownOptions: {
      input: {
        shop: 'index.html',
        order: 'order.html',
        deliveries: 'deliveries.html',
        spoon: 'spoon.html',
        poster: 'poster.html',
        'demo-wallet': 'src/demoWallet/main.ts',
      },
      output: {
        // The page without a build step names this file, so its name must stay.
        entryFileNames: ({ name }) =>
          name === 'demo-wallet' ? 'demo-wallet.js' : 'assets/[name]-[hash].js',
      },
      onLog(level, log, print) {
        // 'use client' matters only to servers that render React.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
      },
    },
  },
})
