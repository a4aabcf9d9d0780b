import { readdir } from 'node:fs/promises'

/** Whether a folder holds a cluster. One appears under its name only when initdb has finished it. */
export async function hasCluster(cluster: string): Promise<boolean> {
  const entries = await readdir(cluster).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return entries.length > 0
}
