/** Folders whose names `names.test.ts` checks. */
export const foldersOfNames = [
  'apps/dashboard',
  'apps/server/src',
  'apps/server/test',
  'apps/shop',
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
  'apps/server',
  'apps/shop',
  'bench',
  'examples',
  'packages/browser',
  'packages/cli',
  'packages/contract',
  'packages/core',
  'packages/node',
  'packages/react',
  'packages/testing',
  'scripts',
  'tests',
]
