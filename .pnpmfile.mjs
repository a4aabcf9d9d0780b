/** The `source` condition leads to files that only the workspace has: packages are published without it. */
export const hooks = {
  beforePacking(manifest) {
    const entries = Object.entries(manifest.exports ?? {}).map(([path, target]) => {
      if (typeof target === 'string') return [path, target]
      const { source: _, ...conditions } = target
      return [path, conditions]
    })
    return { ...manifest, exports: Object.fromEntries(entries) }
  },
}
