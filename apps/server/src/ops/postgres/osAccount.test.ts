import { expect, test } from 'vitest'
import { chooseAccount } from './osAccount.ts'

const debian = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin
postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash
`

test('a new cluster belongs to postgres, or else to nobody, or else to the first account that is not root', () => {
  expect(chooseAccount(debian, null)).toEqual({ name: 'postgres', uid: 101, gid: 104 })
  const withoutPostgres = debian.replace(/^postgres.*\n/m, '')
  expect(chooseAccount(withoutPostgres, null)).toEqual({ name: 'nobody', uid: 65534, gid: 65533 })
  const withoutBoth = withoutPostgres.replace(/^nobody.*\n/m, '')
  expect(chooseAccount(withoutBoth, null)).toEqual({ name: 'daemon', uid: 1, gid: 1 })
})

test.each([
  ['nothing', ''],
  ['root alone', 'root:x:0:0:root:/root:/bin/sh\n'],
  ['root under two names', 'root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/root:/bin/sh\n'],
  ['lines that name no account', '# a comment\n\n+::::::\nhalf:x:12\nbad:x:one:two:::\n'],
  [
    'an ID that cannot be handed on',
    'nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n',
  ],
  ['an ID out of range', 'far:x:4294967294:1::/:/bin/sh\n'],
])('a file of %s has none', (_, passwd) => {
  expect(chooseAccount(passwd, null)).toBeNull()
})

test('nobody is skipped if its id is negative, as on macOS', () => {
  const macos = `##
# User Database
##
nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false
root:*:0:0:System Administrator:/var/root:/bin/sh
daemon:*:1:1:System Services:/var/root:/usr/bin/false
`
  expect(chooseAccount(macos, null)).toEqual({ name: 'daemon', uid: 1, gid: 1 })
})

test('a cluster stays with its owner, even without an account', () => {
  expect(chooseAccount(debian, { uid: 1, gid: 5 })).toEqual({ name: 'daemon', uid: 1, gid: 1 })
  const unknown = { name: 'with ID 1234', uid: 1234, gid: 5 }
  expect(chooseAccount(debian, { uid: 1234, gid: 5 })).toEqual(unknown)
  expect(chooseAccount('', { uid: 1234, gid: 5 })).toEqual(unknown)
})

test("root's own cluster moves to the account of a new cluster", () => {
  expect(chooseAccount(debian, { uid: 0, gid: 0 })?.name).toBe('postgres')
})
