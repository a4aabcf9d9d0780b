/** The roles of people, from least to most powerful. */
export const roles = ['reader', 'support', 'owner'] as const
