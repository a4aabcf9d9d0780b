import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

const { ORIGIN, PORT = 3000 } = process.env

export default defineConfig({
  plugins: [
    sveltekit({
      adapter: adapter(),
      // The shop's origin: SvelteKit rejects forms from any other origin.
      paths: { origin: ORIGIN ?? `http://localhost:${PORT}` },
    }),
  ],
})
