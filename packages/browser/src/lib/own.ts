/**
 * Copies own properties into an object without a prototype, so that nothing on `Object.prototype` is read as an
 * option.
 */
export function own<Given extends object>(given: Given | undefined): Given {
  return { __proto__: null, ...given } as unknown as Given
}
