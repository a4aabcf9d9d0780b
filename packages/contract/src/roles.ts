/** The roles of people, the least first. */
export const roles = ['reader', 'support', 'owner'] as const
