import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the server's Dockerfile. @returns the text after an instruction, such as `RUN`, which is there once */
export async function readDockerfile(): Promise<(instruction: string) => string> {
  const path = join(import.meta.dirname, '../../../../deploy/Dockerfile')
  const lines = (await readFile(path, 'utf8')).split('\n')
  return (instruction) => {
    const [line, ...others] = lines.filter((candidate) => candidate.startsWith(`${instruction} `))
    if (!line || others.length > 0) throw new Error(`The Dockerfile needs one ${instruction}.`)
    return line.slice(instruction.length + 1)
  }
}
