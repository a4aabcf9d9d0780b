const isTerminal = process.stdout.isTTY === true
// Invariant: at most one line turns at a time; this ends it.
let stopTurning = () => {}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/**
 * Runs one step of a start and tells how it goes: a line that turns on a terminal, plain lines elsewhere.
 *
 * @param title what is being done
 * @param work is given a function that adds a word on how far it is
 * @param done what was reached, from the result
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
  if (isTerminal) turn(draw)
  else console.log(`  … ${title}`)
  try {
    const result = await work((text) => {
      detail = text
    })
    stopTurning()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`  ✓ ${done(result)} (${seconds} s)`)
    return result
  } finally {
    stopTurning()
  }
}

/** Says something between the steps, or in the middle of one that is given up. */
export function say(text: string): void {
  stopTurning()
  console.log(text)
}

function turn(draw: () => void): void {
  draw()
  const timer = setInterval(draw, 90)
  stopTurning = () => {
    clearInterval(timer)
    process.stdout.write('\r\x1b[2K')
    stopTurning = () => {}
  }
}
