import { describe, expect, test } from 'vitest'
import { languages } from '../../test/support/readMessages.ts'
import { pageMessages } from '../hosted/pageMessages.ts'
import { en, type Messages } from './en.ts'
import { files } from './files.ts'
import { linkMessages } from './linkMessages.ts'
import { newcomerMessages } from './newcomerMessages.ts'
import { languages as picked } from './pickLanguage.ts'

type Key = keyof Messages

const loaded = Object.entries(files).map(async ([language, load]) => {
  return [language, (await load()).messages] as const
})
const english: Messages = { ...en, ...pageMessages, ...newcomerMessages, ...linkMessages }
const all = [['en', english] as const, ...(await Promise.all(loaded))]
const keys = Object.keys(english) as Key[]

test('every language that has a file can be picked and loaded', () => {
  expect(Object.keys(files).sort()).toEqual([...languages].sort())
  expect([...picked].sort()).toEqual(['en', ...languages].sort())
})

/** Messages that are the same in English. */
const untranslated: Partial<Record<string, readonly Key[]>> = {
  fr: ['test', 'qr'],
  de: ['test', 'wallets'],
  it: ['test', 'wallets'],
}

/** Punctuation that ends a sentence or a question. */
const stops: Partial<Record<string, string>> = { ja: '。', zh: '。', hi: '।' }
const questionMarks: Partial<Record<string, string>> = { ja: '？', zh: '？', ar: '؟' }

/** Punctuation and spacing of other languages. */
const foreign: Partial<Record<string, RegExp>> = {
  fr: /(?<!\u202f)[!:;?]/,
  ja: /[!"'(),.:;?]/,
  zh: /[!"'(),.:;?]|\p{Script=Han}\{|\}\p{Script=Han}/u,
  ar: /[,;?]/,
}

/** Articles, particles and suffixes that would have to agree with a filled-in name or amount. */
const agreeing: Partial<Record<string, RegExp>> = {
  es: /(?<!\p{L})(el|la|los|las|al|del) \{/iu,
  pt: /(?<!\p{L})([oa]s?|aos?|às?|d[oa]s?|n[oa]s?) \{/iu,
  fr: /(?<!\p{L})(les?|la|de|des|du|aux?) \{|’\{/iu,
  de: /(?<!\p{L})(d(er|ie|as|em|en|es)|k?ein(e|e[mnrs])?|[ai]m|vom|beim|zu[mr]) \{/iu,
  it: /(?<!\p{L})(il|lo|la|i|gli|le|(a|da|de|ne|su)(l|llo|lla|i|gli|lle)) \{|’\{/iu,
  ko: /\}[을를이가은는과와로으]/,
  ar: /\p{L}\{/u,
  tr: /\}[\p{L}’]/u,
}

/** The width that fits in the narrowest dialog, in columns of a Latin letter. */
const maxColumns: Partial<Record<Key, number>> = {
  wallets: 12,
  qr: 12,
  copy: 12,
  copied: 12,
  'qr.request': 17,
  'qr.address': 14,
  close: 30,
  back: 30,
  done: 30,
  retry: 30,
  other_way: 30,
  insist: 30,
  pay_by_qr: 30,
  'leaving.close': 30,
  'leaving.stay': 30,
}

describe.each(all)('%s', (language, localeMessages) => {
  const keysWhere = (isFault: (text: string, key: Key) => boolean) =>
    keys.filter((key) => key in localeMessages && isFault(localeMessages[key], key))

  test('has the keys of English, in the same order', () => {
    expect(keys.filter((key) => !(key in localeMessages))).toEqual([])
    expect(Object.keys(localeMessages)).toEqual(keys)
    expect(keysWhere((text) => text === '' || text !== text.trim())).toEqual([])
  })

  test('has the same placeholders as English', () => {
    expect(keysWhere((text, key) => `${values(text)}` !== `${values(english[key])}`)).toEqual([])
  })

  test('ends only sentences with a stop', () => {
    const stop = stops[language] ?? '.'
    const patternOf = (end: string) =>
      end.replace('.', stop).replace('?', questionMarks[language] ?? '?')
    expect(keysWhere((text, key) => ending(text) !== patternOf(ending(english[key])))).toEqual([])
    expect(localeMessages.titled).toContain(stop)
  })

  test('uses the typographic punctuation of the language', () => {
    const careless = /['"]|\.\.|\s\s|\p{Cf}/u
    expect(keysWhere((text) => careless.test(text))).toEqual([])
    expect(keysWhere((text) => foreign[language]?.test(text) ?? false)).toEqual([])
  })

  test('stays grammatical with any filled-in value', () => {
    expect(keysWhere((text) => agreeing[language]?.test(text) ?? false)).toEqual([])
  })

  test('has labels that fit', () => {
    expect(keysWhere((text, key) => columns(text) > (maxColumns[key] ?? Infinity))).toEqual([])
  })
})

test.each(all.filter(([language]) => language !== 'en'))(
  '%s has no message in English',
  (language, localeMessages) => {
    // `titled` is only punctuation.
    const same = keys.filter((key) => key !== 'titled' && localeMessages[key] === english[key])
    expect(same).toEqual(untranslated[language] ?? [])
  },
)

function values(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort()
}

function ending(text: string): string {
  return /[!,.:;?…،؛؟।、。！，：；？]$/.exec(text)?.[0] ?? ''
}

function columns(text: string): number {
  const wide = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
  return [...text.replace(/\p{M}/gu, '')].reduce((sum, sign) => sum + (wide.test(sign) ? 2 : 1), 0)
}
