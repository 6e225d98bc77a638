import type { ComponentChildren } from 'preact'

/** A message in place of a view, or above it. */
export function Notice({ kind, children }: { readonly kind: 'info' | 'problem'; readonly children: ComponentChildren }) {
  return (
    <p class={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}
