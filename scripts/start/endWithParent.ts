/**
 * Loaded into every child before its own code. The system closes the pipe on its stdin when the parent ends, even
 * by SIGKILL; the child is then asked to end as well. Its output is no longer read.
 */
process.stdin.on('error', () => {})
process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM'))
process.stdin.resume().unref()
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
