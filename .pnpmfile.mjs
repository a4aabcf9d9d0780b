const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env

/** npm accepts provenance for the repository that the manifest names: the one whose workflow publishes. */
const repository = GITHUB_REPOSITORY && {
  repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` },
}

/** The `source` condition leads to files that only the workspace has: packages are published without it. */
export const hooks = {
  beforePacking(manifest) {
    if (!manifest.exports) return { ...manifest, ...repository }
    const entries = Object.entries(manifest.exports).map(([path, target]) => {
      if (typeof target === 'string') return [path, target]
      const { source: _, ...conditions } = target
      return [path, conditions]
    })
    return { ...manifest, ...repository, exports: Object.fromEntries(entries) }
  },
}
