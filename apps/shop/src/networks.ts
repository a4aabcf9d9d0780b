/** What a payment can be made on, with the names that buyers know. */
export const networks = { base: 'Base', polygon: 'Polygon' } as const

export type Chain = keyof typeof networks
