import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, ConsoleMessage } from 'playwright-core'
import type { Message } from './mistake.ts'

type Scope = Readonly<Record<string, unknown>>

const cli = join(import.meta.dirname, '../../../../packages/cli/dist/cli.js')

/** The constructor of functions whose body can await. */
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** The error that a call throws, or the message in the response that it returns. */
export async function messageOfCall(code: string, scope: Scope): Promise<Message> {
  const call = new AsyncFunction(...Object.keys(scope), `return ${code}`)
  try {
    const result: unknown = await call(...Object.values(scope))
    if (!(result instanceof Response)) throw new Error(`Nothing complains of ${code}.`)
    const { error, message } = (await result.json()) as { error: string; message: string }
    return { from: `${result.status} ${error}`, message }
  } catch (error) {
    const { name, code: errorCode, message } = error as Error & { code?: string }
    return { from: errorCode ? `${name} ${errorCode}` : name, message }
  }
}

/** The uncaught error of a module in a project, of which imports of Node.js's packages get the build for browsers. */
export async function messageInProject(code: string, cwd: string): Promise<Message> {
  const imports = [
    "import { useServiceModal } from '@payment-intents/react'",
    "import { createElement } from 'react'",
    "import { renderToString } from 'react-dom/server.node'",
  ]
  const isHook = code.includes('useServiceModal')
  const source = `${isHook ? imports.join('\n') : ''}
try { ${code} } catch ({ name, message }) { console.log(JSON.stringify({ from: name, message })) }`
  const flags = [
    ...(isHook ? [] : ['--conditions=browser']),
    '--input-type=module',
    '--eval',
    source,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd })
  return JSON.parse(stdout)
}

type PageOptions = { readonly browser: Browser; readonly url: string; readonly scope: Scope }

/** The error that the checkout throws or passes to `onError`, or the warning on the console. */
export async function messageInPage(
  code: string,
  { browser, url, scope }: PageOptions,
): Promise<Message> {
  const page = await browser.newPage()
  try {
    const warned = page
      .waitForEvent('console', (message) => message.type() === 'warning' || isByBrowser(message))
      .then((message) => ({
        from: isByBrowser(message) ? 'Chromium' : 'console.warn',
        message: message.text(),
      }))
    warned.catch(() => {}) // The page is closed.
    await page.goto(url)
    const said = page.evaluate(
      ([body, values]) =>
        new Promise<{ from: string; message: string }>((resolve) => {
          const { openServiceModal } = Reflect.get(window, 'PaymentIntents')
          const onError = (error: { code: string; message: string }) =>
            resolve({ from: `onError ${error.code}`, message: error.message })
          const names = { openServiceModal, callbacks: { onError }, ...values }
          try {
            new Function(...Object.keys(names), body)(...Object.values(names))
          } catch (error) {
            const { name, message } = error as Error
            resolve({ from: name, message })
          }
        }),
      [code, scope] as const,
    )
    said.catch(() => {}) // The page is closed.
    return await Promise.race([warned, said])
  } finally {
    await page.close()
  }
}

function isByBrowser(message: ConsoleMessage): boolean {
  return message.type() === 'error' && message.text().includes('CORS policy')
}

/** The output of the command line before it exits. */
export async function messageInTerminal(
  code: string,
  env: Readonly<Record<string, string>>,
): Promise<Message> {
  const line = code.replace('payment-intents', `"${process.execPath}" "${cli}"`)
  const options = { env: { PATH: process.env.PATH, ...env } }
  const { code: exitCode, stderr } = await promisify(execFile)('sh', ['-c', line], options).catch(
    (error) => error,
  )
  const message = stderr.trim().replace(/\nMore: payment-intents --help$/, '')
  return { from: `exit code ${exitCode}`, message }
}
