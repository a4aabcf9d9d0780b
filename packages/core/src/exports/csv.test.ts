import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvRecord } from './csv.ts'

test.each([
  [['a', 1, true, null], 'a,1,true,'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
  [['=1+1', '+1', '-1', '@sum(a1)'], "'=1+1,'+1,'-1,'@sum(a1)"],
  [['\t=1', '\r=1', '\n=1', ' =1'], `"'\t'=1","'\r'=1","'\n'=1",' =1`],
  [['=cmd|"/c calc"!a1'], `"'=cmd|""/c calc""!a1"`],
])('%j', (fields, record) => {
  expect(csvRecord(fields)).toBe(`${record}\r\n`)
})

describe('a spreadsheet runs no text as a formula', () => {
  test.each([
    // At the start, also after white space, quotes and invisible characters.
    ['=1', "'=1"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠sum(a1)', "'＠sum(a1)"],
    [' \u00a0=1', "' \u00a0=1"],
    ['\u200b\ufeff=1', "'\u200b\ufeff=1"],
    ['"=1"', `"'""=1"""`],
    [' " ＝1', `"' "" ＝1"`],
    // Another locale's separator starts a cell, also where a quote does not start a cell.
    ['a;=1', `"a;'=1"`],
    ['a; =1', `"a;' =1"`],
    ['a;"=1"', `"a;'""=1"""`],
    ['a;;@b;c;－d', `"a;;'@b;c;'－d"`],
    ['{"note":"a;=HYPERLINK(1)"}', `"{""note"":""a;'=HYPERLINK(1)""}"`],
    ['a\t+1', `"a\t'+1"`],
    ['\ta', `"'\ta"`],
    ['a\r=1', `"a\r'=1"`],
    ['a\n=1', `"a\n'=1"`],
    ['a\r\n;\t=1', `"a\r\n;'\t'=1"`],
  ])('%j', (text, field) => {
    expect(csvRecord([text])).toBe(`${field}\r\n`)
  })

  // In Excel, a tab, LibreOffice's dialog and a European locale separate cells as well; quotes count at the start of
  // a cell.
  const cells = (record: string) => record.split(/[,;\t\r\n]/)

  test('no cell starts with a formula sign, however it is read', () => {
    const part = fc.constantFrom(...'=+-@＝＋－＠;,\t\r\n" \'a1\u00a0\ufeff\u200b')
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    // A comma separates only for the intended reader, who knows the quotes around it.
    const texts = fc.array(
      text.map((each) => each.replaceAll(',', '')),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(texts, (fields) => {
        for (const cell of cells(csvRecord(fields))) {
          expect(cell).not.toMatch(/^[\s\p{C}"]*[=+\-@＝＋－＠]/u)
        }
      }),
    )
  })

  test('every text is a cell that reads back unchanged, but for apostrophes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (first, second) => {
        const record = csvRecord([first, second]).slice(0, -2)
        const [, ...read] =
          /^("(?:[^"]|"")*"|[^",\r\n]*),("(?:[^"]|"")*"|[^",\r\n]*)$/.exec(record) ?? []
        const plain = read.map((field) => field.replace(/^"|"$/g, '').replaceAll('""', '"'))
        const bare = (text = '') => text.replaceAll("'", '')
        expect(plain.map(bare)).toEqual([first, second].map(bare))
      }),
    )
  })
})

test('numbers are unchanged', () => {
  expect(csvRecord([-1, -0.5, 0, 25_000_000, true])).toBe('-1,-0.5,0,25000000,true\r\n')
})

test.each([
  'a,b;c',
  'Size M; red - blue',
  '{"order_id":"a-1;b"}',
  'https://shop.example.com/?a=1&b=+2',
  '2026-01-01T00:00:00.000Z',
  '0xab',
])('%j is unchanged', (text) => {
  expect(csvRecord([text]).replace(/""/g, '"')).toContain(text)
})
