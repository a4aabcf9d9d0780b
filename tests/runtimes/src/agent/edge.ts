import { runAgent } from './runAgent.ts'

declare global {
  var CONTROL: string
  var DONE: Promise<void>
}

globalThis.DONE = runAgent(globalThis.CONTROL)
