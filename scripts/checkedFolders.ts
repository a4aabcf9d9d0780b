/** Folders whose names `names.test.ts` checks. */
export const foldersOfNames = [
  'apps/server/src',
  'apps/shop/src',
  'bench',
  'packages/cli/src',
  'packages/contract/src',
  'packages/core/src',
  'packages/node/src',
  'packages/react/src',
  'packages/testing/src',
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
