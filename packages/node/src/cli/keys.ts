import type { ReadStream } from 'node:tty'

type Actions = { readonly again: () => void; readonly quit: () => void }

const interrupt = '\x03'

/** Acts at single keys, and so has to see to Ctrl-C itself. */
export function listenToKeys(stdin: ReadStream, { again, quit }: Actions): void {
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.on('data', (typed: string) => {
    for (const key of typed) {
      if (key === 'q' || key === interrupt) quit()
      if (key === 'r') again()
    }
  })
}
