export const prices = new Map([
  ['mug', '12.00'],
  ['notebook', '7.50'],
])
