#!/usr/bin/env node
import './lib/node20.ts'

// The server without an argument; with one, a command, which does not load the server.
await (process.argv.length > 2 ? import('./cli.ts') : import('./main.ts'))
