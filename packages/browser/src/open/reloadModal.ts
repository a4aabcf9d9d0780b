import { make } from '../shell/make.ts'
import { loadModal } from './loadModal.ts'
import type { Failed } from './openWith.ts'

/** `network_error.text` in English, in case the messages of another language are not loaded. */
const unloaded = 'Nothing was sent. Check the connection and try again.'

/** Says that the modal failed to load, and loads it again at each press of the button, until it is loaded. */
export function reloadModal(failed: Failed): Modal {
  const [shell, messages] = failed
  const { retry = 'Try again', 'network_error.text': text = unloaded } = messages ?? {}
  const button = make('button', { class: 'primary', part: 'button' }, retry)
  shell.show(make('h2', { tabindex: '-1', role: 'alert' }, text), button)
  return new Promise((resolve) => {
    button.onclick = () => {
      shell.wait()
      resolve(loadModal().catch(() => reloadModal(failed)))
    }
  })
}

type Modal = ReturnType<typeof loadModal>
