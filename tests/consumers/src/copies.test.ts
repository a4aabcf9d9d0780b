import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { run, runtimes } from './support/run.ts'

test.each(runtimes)(
  'on %s, an error of any copy is recognised by every other, and nothing else is',
  async (_, find) => {
    const cwd = join(inject('projects'), 'copies')
    const { recognised, mistaken, cloned, json } = JSON.parse(
      (await run(await find(), ['main.js'], { cwd })).stdout,
    )
    // Five copies, each with a class of its own.
    expect(recognised).toEqual({
      ESM: { recognisers: 5, classes: 1 },
      CommonJS: { recognisers: 5, classes: 1 },
      'ESM of another version': { recognisers: 5, classes: 1 },
      'CommonJS of another version': { recognisers: 5, classes: 1 },
      'another realm': { recognisers: 5, classes: 1 },
    })
    expect(mistaken).toEqual([])
    // A thread is sent a bare copy; `toJSON` carries what an error knows.
    expect(cloned).toBe(false)
    expect(json).toMatchObject({
      name: 'PaymentIntentsError',
      code: 'timeout',
      message: 'It is late.',
      body: { a: [1] },
    })
  },
)
