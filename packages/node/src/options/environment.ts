/** A variable of the environment. Runtimes may have none, or not permit to read it, as Deno without --allow-env. */
export function environment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name]
  } catch {
    return undefined
  }
}
