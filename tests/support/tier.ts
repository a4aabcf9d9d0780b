declare global {
  interface ImportMetaEnv {
    MODE: string
  }
  interface ImportMeta {
    readonly env: ImportMetaEnv
  }
}

/** The tier of this run, as vitest names its mode: `test` without a `--mode`. */
const { MODE: mode } = import.meta.env

/** Whether this is the `full` tier, with every combination; otherwise each kind is there. */
export const isFull = mode === 'full'

const factors: Record<string, number> = { unit: 0.05, full: 10 }

/**
 * How often a property is tried: as often as given in a plain run, a twentieth of that in the `unit` tier, which is run
 * after every change, and ten times as often in `full`.
 */
export function runs(usual: number): number {
  return Math.ceil(usual * (factors[mode] ?? 1))
}
