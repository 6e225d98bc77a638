import { useEffect, useRef } from 'preact/hooks'
import type { DraftFault } from '../../wire/draft-page.ts'
import type { CodeEditor } from '../editor/code-editor.ts'

interface CodeAreaProps {
  readonly text: string
  /** Another value: the editor takes the text over. What was typed in it is not given back: more may have been typed since. */
  readonly version: number
  readonly faults: readonly DraftFault[]
  /** The line that is gone to; each new value is followed once. */
  readonly goTo: { readonly line: number } | undefined
  onText(text: string): void
  onSave(): void
}

/** An editor, which is loaded when the first one is shown. */
export function CodeArea({ text, version, faults, goTo, onText, onSave }: CodeAreaProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(undefined)
  const latest = useRef({ text, faults, onText, onSave })
  latest.current = { text, faults, onText, onSave }
  useEffect(() => {
    let isGone = false
    void import('../editor/code-editor.ts').then(({ openCodeEditor }) => {
      if (isGone || host.current === null) return
      const { current } = latest
      const on = { onText: (typed: string) => latest.current.onText(typed), onSave: () => latest.current.onSave() }
      editor.current = openCodeEditor(host.current, { text: current.text, ...on })
      editor.current.setFaults(current.faults)
    })
    return () => {
      isGone = true
      editor.current?.close()
    }
  }, [])
  useEffect(() => editor.current?.setText(text), [version])
  useEffect(() => editor.current?.setFaults(faults), [faults])
  useEffect(() => {
    if (goTo !== undefined) editor.current?.goTo(goTo.line)
  }, [goTo])
  return <div class="code-area" ref={host} />
}
