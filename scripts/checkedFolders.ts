/** Folders whose names `names.test.ts` checks. */
export const foldersOfNames = [
  'apps/dashboard',
  'apps/server/src',
  'apps/shop/src',
  'bench',
  'examples',
  'packages/browser',
  'packages/cli',
  'packages/contract/src',
  'packages/core/src',
  'packages/node',
  'packages/react',
  'packages/testing',
  'tests/runtimes',
  'tests/support',
]

/** Folders whose comments `comments.test.ts` checks. */
export const foldersOfComments = [
  'apps/dashboard',
  'examples',
  'packages/browser',
  'packages/cli',
  'packages/node',
  'packages/react',
  'packages/testing',
  'scripts',
]
