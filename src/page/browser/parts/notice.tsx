import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly kind: 'info' | 'problem'
  readonly children: ComponentChildren
}

/** A message in place of a whole view: with its heading. */
export const ViewNotice = ({ title, ...notice }: NoticeProps & { readonly title: string }) => (
  <section aria-label={title}>
    <h1 class="hidden">{title}</h1>
    <Notice {...notice} />
  </section>
)

/** A message in a view, or above it. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <p class={`notice notice-${kind}`} role={kind === 'problem' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}
