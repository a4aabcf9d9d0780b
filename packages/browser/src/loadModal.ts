/** The modal's own file. The browser keeps it, so a second call loads nothing. */
export const loadModal = () => import('./modal.tsx')
