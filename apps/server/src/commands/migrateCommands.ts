import type { Command } from './command.ts'

export const migrateCommands: Record<string, Command> = {
  migrate: {
    subject: null,
    // The tables are up to date as soon as the database is open.
    run: async (_db, _subject, _options, { migrated }) =>
      migrated.length > 0 ? migrated.join('\n') : 'The tables are up to date.',
  },
}
