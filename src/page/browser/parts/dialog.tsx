import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  /** Shown as the heading, unless `untitled`. */
  readonly title: string
  readonly untitled?: boolean
  readonly class?: string
  onClose(): void
  readonly children: ComponentChildren
}

/** A window above the view. Escape closes it. */
export function Dialog({ title, untitled = false, onClose, children, ...rest }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Not `useEffect`, which waits for the next picture: what is typed before it would be keys of the view.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose} {...rest}>
      <h1 id="dialog-title" class={untitled ? 'hidden' : ''}>
        {title}
      </h1>
      {children}
    </dialog>
  )
}
