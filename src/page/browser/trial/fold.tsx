import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** In a file there is no script: all of it is written. */
const isFile = typeof document === 'undefined'

/** What is shown when it is asked for. A page makes its elements only then: a trial may have a hundred thousand. */
export function Fold({ summary, children }: { readonly summary: string; readonly children: ComponentChildren }) {
  const wasOpened = useSignal(isFile)
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) wasOpened.value = true
      }}
    >
      <summary>{summary}</summary>
      {wasOpened.value ? children : null}
    </details>
  )
}
