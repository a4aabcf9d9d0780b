import { runTool } from './runTool.ts'

/** `tool.ts <program> [argument …]` */
const [program = '', ...args] = process.argv.slice(2)
process.exitCode = await runTool(program, ...args)
