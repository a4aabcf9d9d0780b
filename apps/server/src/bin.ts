#!/usr/bin/env node
import './lib/node20.ts'

// The server without an argument; with an argument, a command, which does not load the server.
await (process.argv.length > 2 ? import('./cli.ts') : import('./main.ts'))
