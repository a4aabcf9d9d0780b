import { expect, test } from 'vitest'
import { createRecentActivity } from './recentActivity.ts'

test('an activity is recent for a second', () => {
  let now = 0
  const activity = createRecentActivity(() => now)
  expect(activity.isRecent()).toBe(false)
  activity.record()
  now = 999
  expect(activity.isRecent()).toBe(true)
  now = 1_000
  expect(activity.isRecent()).toBe(false)
  activity.record()
  expect(activity.isRecent()).toBe(true)
})
