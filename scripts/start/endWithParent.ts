/**
 * Loaded into every child before its own code. The system closes the pipe on its stdin when the parent ends, even
 * by SIGKILL; the child then ends as well. Nobody reads its output any longer.
 */
process.stdin.on('error', () => {})
process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM'))
process.stdin.resume().unref()
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
