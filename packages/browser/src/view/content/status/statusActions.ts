import type { View } from '../../view.ts'
import type { Action, StatusContent } from '../statusContent.ts'

/** The only action that leads to a second request; never primary. */
export function insist({ t, actions }: View): Action {
  return { label: t('insist'), run: actions.insist, quiet: true }
}

/** A modal can be closed; a page has a way on of its own. */
export function end(view: View, label: 'close' | 'done' = 'close'): Partial<StatusContent> {
  const ending = view.page?.end(view) ?? { actions: [{ label: view.t(label), run: view.close }] }
  return view.around?.end(ending, view) ?? ending
}

export function leaveNote({ page, t }: View): Partial<StatusContent> {
  return { note: t(page ? 'page.note' : 'seen.note') }
}
