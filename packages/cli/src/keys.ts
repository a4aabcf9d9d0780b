import type { ReadStream } from 'node:tty'

type Actions = { readonly redeliver: () => void; readonly quit: () => void }

const interrupt = '\x03'

/** Reads single keys. In raw mode Ctrl-C sends no signal, so it is handled here. */
export function listenToKeys(stdin: ReadStream, { redeliver, quit }: Actions): void {
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.on('data', (typed: string) => {
    for (const key of typed) {
      if (key === 'q' || key === interrupt) quit()
      if (key === 'r') redeliver()
    }
  })
}
