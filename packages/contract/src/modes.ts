export const modes = ['testnet', 'mainnet'] as const
export type Mode = (typeof modes)[number]
