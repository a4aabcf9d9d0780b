/**
 * Copies own properties into an object without a prototype, so that nothing on `Object.prototype` is read as an
 * option.
 */
export function withoutPrototype<Value extends object>(value: Value | undefined): Value {
  return { __proto__: null, ...value } as unknown as Value
}
