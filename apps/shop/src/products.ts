export type Product = {
  readonly id: string
  readonly name: string
  readonly blurb: string
  /** In USDC's smallest units: 1 USDC is 1,000,000. */
  readonly amountUnits: number
  /** CSS colour of the picture's background. */
  readonly tint: string
}

/** Everything the shop sells. The picture of a product is `/goods/<id>.svg`. */
export const products: readonly Product[] = [
  {
    id: 'mug',
    name: 'Morning Mug',
    blurb: 'Speckled stoneware, thrown by hand, 330\u00a0ml.',
    amountUnits: 24_000_000,
    tint: '#f3dfcc',
  },
  {
    id: 'candle',
    name: 'Beeswax Candle',
    blurb: 'Forty slow hours, faintly of honey.',
    amountUnits: 18_000_000,
    tint: '#dfe6d8',
  },
  {
    id: 'notebook',
    name: 'Field Notebook',
    blurb: 'Thread-bound, 96 pages that take ink well.',
    amountUnits: 9_500_000,
    tint: '#dbe3ea',
  },
  {
    id: 'agave',
    name: 'Little Agave',
    blurb: 'In terracotta. Asks for sun and little else.',
    amountUnits: 21_000_000,
    tint: '#efe3c8',
  },
  {
    id: 'teapot',
    name: 'Teapot for Two',
    blurb: 'Cast iron, enamelled inside, 600\u00a0ml.',
    amountUnits: 46_000_000,
    tint: '#d6e0dd',
  },
  {
    id: 'spoon',
    name: 'Olivewood Spoon',
    blurb: 'Carved from pruned branches, oiled once.',
    amountUnits: 11_250_000,
    tint: '#eed8d2',
  },
]
