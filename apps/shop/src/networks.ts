/** The networks of payments, with the names that buyers know. */
export const networks = { base: 'Base', polygon: 'Polygon' } as const

export type Chain = keyof typeof networks
