import { runAgent } from './runAgent.ts'

// Node, Bun and Deno. It ends when nothing keeps it alive any more: what the client leaves behind would.
await runAgent(process.argv[2] ?? '')
