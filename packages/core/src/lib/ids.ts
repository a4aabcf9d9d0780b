/** The beginning of an id, by its noun. */
export type IdPrefix = 'pi' | 'evt' | 'mer' | 'tr' | 'key' | 're' | 'plink' | 'we' | 'auth'
