import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { examplesOf, isTest } from './support/examples.ts'
import { run } from './support/run.ts'

// The tests of a shop's page, with the fake checkout of the kit in place of the real checkout, as docs/testing.md shows it.

const folder = join(inject('projects'), '../page-tests')
const packages = ['@payment-intents/react', '@payment-intents/browser', '@payment-intents/testing']
const others = [
  ...['react@19', 'react-dom@19', '@testing-library/react@16', '@testing-library/dom@10'],
  ...['jest@30', 'jest-environment-jsdom@30', 'vitest@5', 'happy-dom@21', 'jsdom@31'],
]

/** A page that opens the checkout by the function and by the hook; the same for all runners, without a transform. */
const page = (load: 'import' | 'require') => {
  const from = (names: string, name: string) =>
    load === 'import'
      ? `import { ${names} } from '${name}'`
      : `const { ${names} } = require('${name}')`
  return `
    ${from('openServiceModal', '@payment-intents/browser')}
    ${from('useServiceModal', '@payment-intents/react')}
    ${from('createElement', 'react')}
    ${load === 'import' ? 'export ' : ''}const shop = { clientSecret: 'pi_1_secret_1', merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' }
    ${load === 'import' ? 'export ' : ''}function pay() {
      const seen = []
      openServiceModal({ ...shop, onSuccess: ({ payment_intent_id }) => seen.push(payment_intent_id), onError: ({ code }) => seen.push(code), onClose: () => seen.push('closed') })
      return seen
    }
    ${load === 'import' ? 'export ' : ''}function Pay() {
      const { open, status } = useServiceModal(shop)
      return createElement('button', { onClick: open }, status)
    }
    ${load === 'import' ? '' : 'module.exports = { pay, Pay }'}`
}

const tests = `
  afterEach(() => { cleanup(); resetCheckouts() })

  test('function', () => {
    const seen = pay()
    checkouts.at(-1).fail('user_rejected')
    checkouts.at(-1).succeed()
    checkouts.at(-1).close()
    expect(seen).toEqual(['user_rejected', 'pi_1', 'closed'])
    expect(document.querySelector('dialog, payment-intents')).toBe(null)
  })

  test('hook', () => {
    render(createElement(Pay))
    fireEvent.click(screen.getByText('idle'))
    screen.getByText('open')
    act(() => checkouts.at(-1).pend())
    screen.getByText('pending')
    act(() => checkouts.at(-1).succeed())
    screen.getByText('succeeded')
  })`

const [readme] = examplesOf('packages/testing/README.md').filter(isTest)

const files = {
  'readme.test.ts': `import './readmePage.mjs'\n${readme?.code}`,
  'readmePage.mjs': `
    import { pay } from './page.mjs'
    document.body.innerHTML = '<button id="pay">Pay</button><p></p>'
    document.querySelector('#pay').addEventListener('click', () => {
      const seen = pay()
      seen.push = (code) => { document.querySelector('p').textContent = \`Try again: \${code}\` }
    })`,
  'package.json': '{ "private": true }',
  'page.cjs': page('require'),
  'page.test.cjs': `
    jest.mock('@payment-intents/browser', () => require('@payment-intents/testing/checkout'))
    const { checkouts, resetCheckouts } = require('@payment-intents/testing/checkout')
    const { act, cleanup, fireEvent, render, screen } = require('@testing-library/react')
    const { createElement } = require('react')
    const { pay, Pay } = require('./page.cjs')
    ${tests}`,
  'jest.config.json': JSON.stringify({
    testEnvironment: 'jsdom',
    testMatch: ['**/page.test.cjs'],
    transform: {},
    moduleFileExtensions: ['js', 'cjs', 'json'],
  }),
  'page.mjs': page('import'),
  'page.test.mjs': `
    import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
    import { checkouts, resetCheckouts } from '@payment-intents/testing/checkout'
    import { createElement } from 'react'
    import { afterEach, expect, test, vi } from 'vitest'
    import { pay, Pay } from './page.mjs'
    vi.mock('@payment-intents/browser', () => import('@payment-intents/testing/checkout'))
    ${tests}`,
  'vitest.config.mjs': `
    export default {
      // The hook is mocked with the page: without this, Vitest leaves its imports to Node.
      test: { include: ['page.test.mjs', 'readme.test.ts'], server: { deps: { inline: ['@payment-intents/react'] } } },
    }`,
}

beforeAll(async () => {
  await mkdir(folder)
  await writeFile(join(folder, '.npmrc'), `@payment-intents:registry=${inject('registry')}\n`)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...packages, ...others, ...options], { cwd: folder })
})

test('Jest, in jsdom', async () => {
  const { stderr } = await run('npx', ['--no', 'jest'], { cwd: folder })
  expect(stderr).toMatch(/Tests: +2 passed, 2 total/)
})

test.each(['jsdom', 'happy-dom'])('Vitest, in %s', async (environment) => {
  const { stdout } = await run('npx', ['--no', 'vitest', 'run', `--environment=${environment}`], {
    cwd: folder,
  })
  expect(stdout).toMatch(/Tests .*3 passed/)
})
