export const intents = '/v1/payment_intents'
export const alone = '0x1111111111111111111111111111111111111111'
/** The first plain account of the development chain. */
export const payer = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
} as const
/** The merchant's wallet that pays refunds. */
export const shop = {
  address: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
  privateKey: '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
} as const
