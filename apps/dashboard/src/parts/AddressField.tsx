/** A required field for the address of an account, named `address` in the form. */
export function AddressField({ name }: { name: string }) {
  return (
    <label>
      {name}
      <input name="address" required placeholder="0x…" spellCheck={false} autoComplete="off" />
    </label>
  )
}
