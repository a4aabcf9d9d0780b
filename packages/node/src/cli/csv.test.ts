import { expect, test } from 'vitest'
import { csvRecord } from './csv.ts'

test.each([
  [['a', 1, true, null], 'a,1,true,'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
  [['=1+1', '+1', '-1', '@sum(a1)'], "'=1+1,'+1,'-1,'@sum(a1)"],
  [['\t=1', '\r=1', '\n=1', ' =1'], '\'\t=1,"\'\r=1","\'\n=1", =1'],
  [['=cmd|"/c calc"!a1'], `"'=cmd|""/c calc""!a1"`],
])('%j', (fields, record) => {
  expect(csvRecord(fields)).toBe(`${record}\r\n`)
})
