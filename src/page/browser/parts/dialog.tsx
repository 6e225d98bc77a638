import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose} {...rest}>
      <h1 id="dialog-title" class={untitled ? 'hidden' : ''}>
        {title}
      </h1>
      {children}
    </dialog>
  )
}
