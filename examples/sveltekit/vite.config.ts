import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

const { ORIGIN, PORT = 3000 } = process.env

export default defineConfig({
  plugins: [
    sveltekit({
      adapter: adapter(),
      // Where buyers reach the shop: forms of any other origin are refused.
      paths: { origin: ORIGIN ?? `http://localhost:${PORT}` },
    }),
  ],
})
