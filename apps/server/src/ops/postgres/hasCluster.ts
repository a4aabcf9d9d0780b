import { readdir } from 'node:fs/promises'

/** Whether a folder holds a cluster. Any entry proves it: a cluster gets its name only after initdb has finished. */
export async function hasCluster(cluster: string): Promise<boolean> {
  const entries = await readdir(cluster).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return entries.length > 0
}
