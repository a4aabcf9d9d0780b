import { type ModalParts, mountModal as mount } from '../modal.tsx'
import type { Mount } from './openWith.ts'

/** The modal's own file of a build that is split: it names the files that come later, so that a page that only offers the checkout does not. */
export const mountModal: Mount = (options, parts, page) => {
  const { messages, retryImport } = parts.loaders
  const loaders: ModalParts['loaders'] = {
    messages,
    link: () => import('../link/mountLink.tsx').catch(retryImport),
    manualParts: () => import('../view/manualParts.ts').catch(retryImport),
  }
  return mount(options, { ...parts, loaders }, page)
}
