import { expect, test } from 'vitest'
import { mayUseWallet, type WalletClaim, walletHolders } from './walletClaims.ts'

const named = (merchantId: string): WalletClaim => ({ merchantId, by: 'name' })
const listed = (merchantId: string): WalletClaim => ({ merchantId, by: 'list' })
const proven = (merchantId: string): WalletClaim => ({ merchantId, by: 'proof' })

test.each([
  ['nobody’s', [], []],
  ['whose request named it first', [named('a')], ['a']],
  ['whose list it is in', [named('a'), listed('b'), listed('c')], ['b', 'c']],
  ['who has proven it', [named('a'), listed('b'), proven('c')], ['c']],
  ['all who have', [proven('b'), listed('b'), proven('c')], ['b', 'c']],
])('a wallet is %s', (_, claims, holders) => {
  expect(walletHolders(claims)).toEqual(holders)
})

test('a merchant may use their own wallet, and a wallet that nobody claims', () => {
  expect(mayUseWallet([], 'a')).toBe(true)
  expect(mayUseWallet([named('a')], 'a')).toBe(true)
  expect(mayUseWallet([named('a'), listed('b')], 'a')).toBe(false)
  expect(mayUseWallet([listed('b'), proven('a')], 'b')).toBe(false)
})
