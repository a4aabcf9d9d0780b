/** An invalid command line. Its message repeats no value, which may be a misplaced key. */
export class UsageError extends Error {}
