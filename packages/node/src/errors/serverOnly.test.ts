import { expect, test } from 'vitest'
import { assertServer } from './serverOnly.ts'

const document = {}
const importScripts = () => {}
const node = { versions: { node: '24.0.0' } }

test.each([
  ['Node', { process: node }],
  ['jsdom under Node', { process: node, document }],
  ['Deno', { Deno: {}, document: undefined }],
  ['Bun', { process: { versions: { node: '24.0.0', bun: '1.3.0' } } }],
  ['edge-runtime', { EdgeRuntime: 'edge-runtime' }],
  ['workerd', { navigator: { userAgent: 'Cloudflare-Workers' } }],
])('%s is a server', (_name, scope) => {
  expect(() => assertServer(scope)).not.toThrow()
})

test.each([
  ['a page', { document }],
  ['a page with the usual process shim', { document, process: { versions: {} } }],
  ['a web worker', { importScripts }],
  ['an Electron window', { document, process: { ...node, type: 'renderer' } }],
  ['React Native', { navigator: { product: 'ReactNative' } }],
])('%s is not', (_name, scope) => {
  expect(() => assertServer(scope)).toThrow(/must never reach a browser/)
})

test('here is a server', () => {
  expect(() => assertServer()).not.toThrow()
})
