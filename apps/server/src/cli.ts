import { commandLine } from './commandLine.ts'

process.exitCode = await commandLine({
  args: process.argv.slice(2),
  env: process.env,
  print: console.log,
  note: console.error,
})
