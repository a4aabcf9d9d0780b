import { spawnSync } from 'node:child_process'
import { rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

export type SmallDisk = {
  /** Writes until no byte is left. */
  fill(): Promise<void>
  free(): void
  unmount(): void
}

/** Gives a folder a disk of its own; null: this user may not mount a disk. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | null {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) return null
  const filler = join(folder, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'w')
      try {
        for (let bytes = 1 << 20; bytes > 0; ) {
          try {
            if (writeSync(file.fd, Buffer.alloc(bytes)) === 0) break
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
            bytes >>= 1
          }
        }
      } finally {
        await file.close()
      }
    },
    free: () => rmSync(filler),
    unmount: () => void spawnSync('umount', ['--lazy', folder]),
  }
}
