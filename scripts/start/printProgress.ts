const isTerminal = process.stdout.isTTY === true
// Invariant: at most one spinner runs at a time; this stops it.
let stopSpinning = () => {}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/**
 * Runs one step of a start and shows its progress: a spinner on a terminal, plain lines elsewhere.
 *
 * @param title what is being done
 * @param work is passed a function that adds a detail to the line
 * @param done returns the closing line from the result
 */
export async function step<result>(
  title: string,
  work: (note: (text: string) => void) => Promise<result>,
  done: (result: result) => string,
): Promise<result> {
  const started = performance.now()
  let detail = ''
  let frame = 0
  const draw = () => {
    const columns = process.stdout.columns || 80
    const line = `${frames[frame++ % frames.length]} ${title}${detail && `: ${detail}`}`
    process.stdout.write(`\r\x1b[2K  ${line.slice(0, columns - 3)}`)
  }
  if (isTerminal) spin(draw)
  else console.log(`  … ${title}`)
  try {
    const result = await work((text) => {
      detail = text
    })
    stopSpinning()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`  ✓ ${done(result)} (${seconds} s)`)
    return result
  } finally {
    stopSpinning()
  }
}

/** Prints a line between steps, or while a step is aborted. */
export function say(text: string): void {
  stopSpinning()
  console.log(text)
}

function spin(draw: () => void): void {
  draw()
  const timer = setInterval(draw, 90)
  stopSpinning = () => {
    clearInterval(timer)
    process.stdout.write('\r\x1b[2K')
    stopSpinning = () => {}
  }
}
