import { expect, test } from 'vitest'
import { whyUnsupported } from './binaries.ts'

test.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
] as const)('%s-%s has binaries', (platform, arch) => {
  const here = platform === 'linux' ? 'present' : 'absent'
  expect(whyUnsupported({ platform, arch, glibc: here, proc: here })).toBeNull()
})

test.each([
  [
    'musl',
    { platform: 'linux', arch: 'x64', glibc: 'absent', proc: 'absent' },
    /needs glibc.*musl.*Debian/,
  ],
  [
    'Windows',
    { platform: 'win32', arch: 'x64', glibc: 'absent', proc: 'absent' },
    /Windows.*WSL 2/,
  ],
  [
    'FreeBSD',
    { platform: 'freebsd', arch: 'x64', glibc: 'absent', proc: 'absent' },
    /for freebsd-x64.*linux-arm64/,
  ],
  [
    'no /proc',
    { platform: 'linux', arch: 'x64', glibc: 'present', proc: 'absent' },
    /by \/proc, .*mount it/,
  ],
  [
    '32-bit ARM',
    { platform: 'linux', arch: 'arm', glibc: 'present', proc: 'absent' },
    /for linux-arm:/,
  ],
] as const)('%s gets one sentence that says what to do', (_, system, words) => {
  const sentence = whyUnsupported(system) ?? ''
  expect(sentence).toMatch(words)
  expect(sentence).toMatch(/^[^\n]*, or set DATABASE_URL to a PostgreSQL of your own\.$/)
})
