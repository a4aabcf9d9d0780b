import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { until } from '../../../../tests/support/until.ts'
import { dbOfFile } from '../../test/support/database/fixtures.ts'
import { startMailServer } from '../../test/support/server/mailServer.ts'
import { createTestMerchant } from '../../test/support/server/testServer.ts'
import { type MailConfig, readMail } from '../config/mail.ts'
import { createLog } from '../lib/createLog.ts'
import { isMailAddress } from '../lib/mailAddress.ts'
import { createMetrics } from '../lib/metrics/metrics.ts'
import { claimMail } from '../store/mails/mails.ts'
import { queueMail } from '../store/mails/queueMail.ts'
import { openMailer } from './openMailer.ts'
import { sendDueMail, sendMails } from './sendMails.ts'

const db = dbOfFile()
const sender = 'Payments <payments@example.com>'

function mailConfig(SMTP_URL: string, MAIL_FROM = sender): MailConfig {
  const env: Record<string, string> = { SMTP_URL, MAIL_FROM }
  const config = readMail(
    (name, schema) => schema.parse(env[name]) as never,
    env,
    () => {},
  )
  if (!config) throw new Error('It is no configuration.')
  return config
}

/** The sender of the test's mails, with its log and its counts. */
function sending(url: string, signal = new AbortController().signal) {
  const logs: string[] = []
  const log = createLog('debug', { write: (line: string) => void logs.push(line) })
  const metrics = createMetrics([])
  const context = { db, database: { report() {} }, log, metrics, signal, random: () => 0 }
  const counted = async () =>
    (await metrics.registry.getSingleMetricAsString('payment_intents_mails_total')).match(
      /(?<=outcome=")\w+"} [1-9]/g,
    )
  return { context: { ...context, mailer: openMailer(mailConfig(url)) }, logs, counted }
}

async function mailServer(options?: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

async function queue(mail: Partial<Parameters<typeof queueMail>[1]> = {}): Promise<void> {
  await db.clear()
  const { id: merchantId } = await createTestMerchant(db)
  await queueMail(db.pool, {
    ...{ merchantId, to: 'ada@example.com', subject: 'Hello', text: 'First line.\nSecond.\n' },
    ...mail,
  })
}

async function queued() {
  const { rows } = await db.pool.query<{ attempts: number; wait: number; subject: string }>(
    `select attempts, round(extract(epoch from due_at - now()))::float8 as wait, subject from mails`,
  )
  return rows
}

/** As if the time of its next attempt had come. */
async function letBeDue(createdAgo = '1 hour'): Promise<void> {
  await db.pool.query('update mails set due_at = now(), created_at = now() - $1::interval', [
    createdAgo,
  ])
}

test('a mail is sent, encrypted if the server can, and deleted', async () => {
  const { url, received } = await mailServer({ login: { user: 'us@er', password: 'pa:ss/wörd' } })
  await queue({ subject: 'Grüße', text: '.\nFirst line.\r\n.\n' })
  const { context, counted } = sending(url)
  expect(await sendDueMail(context)).toBe('sent')
  expect(await sendDueMail(context)).toBe('none')
  const [mail, ...others] = received
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    ...{ from: 'payments@example.com', to: ['ada@example.com'], isEncrypted: true },
    raw: expect.stringMatching(/\r\n\r\n\.\r\nFirst line\.\r\n\.\r\n$/),
  })
  const { headers } = mail ?? { headers: new Map() }
  expect(headers.get('from')).toBe('Payments <payments@example.com>')
  expect(headers.get('to')).toBe('ada@example.com')
  expect(headers.get('subject')).toMatch(/^=\?UTF-8\?/)
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect(headers.get('message-id')).toMatch(/^<mail_\w{30}@example\.com>$/)
  expect(await queued()).toEqual([])
  expect(await counted()).toEqual(['sent"} 1'])
})

describe('a mail server that is down', () => {
  test('gets the mail when it is up again', async () => {
    const port = await freePort()
    const { context, logs, counted } = sending(`smtp://127.0.0.1:${port}`)
    await queue()
    const waits: unknown[] = []
    for (const attempt of [1, 2, 3, 4]) {
      expect(await sendDueMail(context)).toBe('failed')
      const [mail] = await queued()
      expect(mail?.attempts).toBe(attempt)
      waits.push(mail?.wait)
      // Not before its time.
      expect(await sendDueMail(context)).toBe('none')
      await letBeDue()
    }
    expect(waits).toEqual([10, 30, 90, 270])
    const { received } = await mailServer({ port })
    expect(await sendDueMail(context)).toBe('sent')
    expect(received).toHaveLength(1)
    expect(await queued()).toEqual([])
    expect(logs.join('')).toContain('ECONNREFUSED')
    expect(await counted()).toEqual(['sent"} 1', 'failed"} 4'])
  })

  test('for a day makes the server give up the mail, with a line in the log', async () => {
    const { context, logs, counted } = sending(`smtp://127.0.0.1:${await freePort()}`)
    await queue()
    await letBeDue('23 hours')
    expect(await sendDueMail(context)).toBe('failed')
    expect(await queued()).toHaveLength(1)
    await letBeDue('25 hours')
    expect(await sendDueMail(context)).toBe('failed')
    expect(await queued()).toEqual([])
    expect(logs.at(-1)).toMatch(/"level":"error".*given up/)
    expect(await counted()).toEqual(['failed"} 1', 'given_up"} 1'])
  })
})

test('a mail server that refuses a mail gets it again later', async () => {
  const server = await mailServer()
  server.replyWith('refuse')
  await queue()
  const { context, logs } = sending(server.url)
  expect(await sendDueMail(context)).toBe('failed')
  expect(logs.join('')).toContain('Out of space')
  expect(await queued()).toMatchObject([{ attempts: 1 }])
})

describe('a mail server that hangs', () => {
  test.each(['at the greeting', 'after the mail'] as const)(
    '%s delays neither other mails nor the end of the server',
    async (where) => {
      const stop = new AbortController()
      const { url, hung } = where === 'after the mail' ? await hanging() : await silent()
      const { context, counted } = sending(url, stop.signal)
      await queue()
      const done = sendMails(context)
      await until(() => expect(hung()).toBe(1))
      const { id: merchantId } = await createTestMerchant(db)
      await queueMail(db.pool, { merchantId, to: 'bob@example.com', subject: 'Hi', text: 'Hi' })
      await until(() => expect(hung()).toBe(2))
      stop.abort()
      await done
      // Both are retried.
      expect(await queued()).toMatchObject([{ attempts: 1 }, { attempts: 1 }])
      expect(await counted()).toEqual(null)
    },
  )

  async function hanging() {
    const server = await mailServer()
    server.replyWith('hang')
    return { url: server.url, hung: server.connections }
  }

  async function silent() {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    const { url } = await listenLocally(server)
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    })
    return { url: url.replace(/^http/, 'smtp'), hung: () => sockets.size }
  }
})

describe('a claim', () => {
  test('keeps others from a mail while it is being sent', async () => {
    const server = await mailServer()
    await queue()
    const { context } = sending(server.url)
    const both = await Promise.all([sendDueMail(context), sendDueMail(context)])
    expect(both.toSorted()).toEqual(['none', 'sent'])
    expect(server.received).toHaveLength(1)
  })

  test('of a killed process expires, and the copy has the same name', async () => {
    const server = await mailServer()
    await queue()
    const killed = await claimMail(db.pool)
    if (!killed) throw new Error('There is none.')
    // It was killed after the mail server accepted the mail, and before that was stored.
    await openMailer(mailConfig(server.url)).send(killed, new AbortController().signal)
    const { context } = sending(server.url)
    expect(await sendDueMail(context)).toBe('none')
    await letBeDue()
    expect(await sendDueMail(context)).toBe('sent')
    const names = server.received.map(({ headers }) => headers.get('message-id'))
    expect(names).toHaveLength(2)
    expect(names[0]).toBe(names[1])
  })
})

describe('no text of a mail adds a header or a recipient', () => {
  const breaks = ['\r\n', '\n', '\r', '\u2028', '\u0085', '\0\n']
  const evil = (lineBreak: string) =>
    ['Hello', 'Bcc: eve@example.com', 'X-Evil: 1', '', 'Body'].join(lineBreak)

  test.each(breaks)('a subject with %j', async (lineBreak) => {
    const { url, received } = await mailServer()
    await queue({ subject: evil(lineBreak) })
    expect(await queued()).toMatchObject([{ subject: 'Hello Bcc: eve@example.com X-Evil: 1 Body' }])
    expect(await sendDueMail(sending(url).context)).toBe('sent')
    const [mail] = received
    expect(mail?.to).toEqual(['ada@example.com'])
    expect(mail?.headers.get('subject')).toBe('Hello Bcc: eve@example.com X-Evil: 1 Body')
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('bcc')
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('x-evil')
    expect(mail?.raw).toMatch(/\r\n\r\nFirst line\.\r\nSecond\.\r\n$/)
  })

  const addresses = [
    ...breaks.map((lineBreak) => `ada@example.com${lineBreak}Bcc: eve@example.com`),
    ...['ada@example.com, eve@example.com', 'ada@example.com;eve@example.com', 'ada', '@', ''],
    ...[
      'Ada <ada@example.com>',
      '<ada@example.com>',
      'ada@example.com> SIZE=1',
      'a da@example.com',
    ],
    ...['"ada@example.com,eve"@example.com', 'ada@[127.0.0.1]', 'ada@example..com', 'ada@-a.com'],
    ...[`${'a'.repeat(65)}@example.com`, `ada@${'a'.repeat(64)}.com`, 'eve@example.com(ada@b.com)'],
    `ada@${'a.'.repeat(130)}com`,
  ]

  test.each(addresses)('%j is no address', async (address) => {
    expect(isMailAddress(address)).toBe(false)
    await expect(queue({ to: address })).rejects.toThrow('A mail needs an address.')
    // An operator may have written it.
    await db.clear()
    const { id: merchantId } = await createTestMerchant(db)
    await db.pool.query(
      `insert into people (id, merchant_id, name, email, role, created_at)
       values ('1', $1, 'Ada', nullif(left($2, 254), ''), 'owner', now())`,
      [merchantId, address.length < 3 || address.includes('\0') ? '' : address],
    )
    expect(await queueMail(db.pool, { merchantId, subject: '', text: '' })).toBe(0)
    expect(await queued()).toEqual([])
  })

  test.each([
    'ada@example.com',
    "o'neil+shop@mail.example.co.uk",
    'root@localhost',
    `${'a'.repeat(64)}@${'a'.repeat(63)}.xn--p1ai`,
  ])('%j is an address', (address) => {
    expect(isMailAddress(address)).toBe(true)
  })
})

test('a password is never printed, whatever the mail server responds', async () => {
  const { port } = await mailServer({ login: { user: 'user', password: 'another' } })
  await queue()
  const { context, logs } = sending(`smtp://user:hunter%2F22@127.0.0.1:${port}`)
  expect(await sendDueMail(context)).toBe('failed')
  expect(logs.join('')).toMatch(/"code":"EAUTH".*No such login: user …/)
  expect(logs.join('')).not.toMatch(/hunter|aHVudGVy/)
})
