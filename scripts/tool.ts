import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fetchPackages } from './fetch/fetchPackages.ts'

/** Runs one of the programs that check the workspace: `tool.ts <program> [argument …]`. */
const [program = '', ...args] = process.argv.slice(2)
const folder = await fetchPackages('tools')
const child = spawn(join(folder, 'node_modules/.bin', program), args, { stdio: 'inherit' })
const [code] = await once(child, 'close')
process.exitCode = code ?? 1
