/**
 * The own properties of options, in an object without a prototype, so that nothing is read from it that another script
 * of the page has put on `Object.prototype`.
 */
export function own<Given extends object>(given: Given): Given {
  return { __proto__: null, ...given }
}
