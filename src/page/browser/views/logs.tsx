import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ServerMessage } from '../../wire/messages.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { ContainerChoice } from '../parts/container-choice.tsx'
import { Notice } from '../parts/notice.tsx'
import { openStream, type Request } from '../state/connection.ts'

/** Lines that the page keeps of a log. */
const MAX_LINES = 5_000

/** What a container prints, as it goes on. */
export function LogsTab({ object }: { readonly object: ObjectName }) {
  const container = useSignal('')
  const previous = useSignal(false)
  const filter = useSignal('')
  const { lines, latest } = useLines({ type: 'logs', object, container: container.value, previous: previous.value })
  const page = latest?.type === 'logs' ? latest.page : undefined
  const shown = filter.value === '' ? lines : lines.filter((line) => line.toLowerCase().includes(filter.value.toLowerCase()))
  return (
    <div class="stream">
      <div class="stream-bar">
        <ContainerChoice containers={page?.containers ?? []} chosen={container.value} onChoose={(name) => (container.value = name)} />
        <label class="choice">
          <input
            type="checkbox"
            checked={previous.value}
            onChange={({ currentTarget }) => {
              previous.value = currentTarget.checked
            }}
          />{' '}
          the run before
        </label>
        <input
          type="search"
          placeholder="only lines with"
          aria-label="Only lines with"
          value={filter.value}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value
          }}
        />
        <span class="count">{shown.length} lines</span>
        <span role="status">{page?.ended ? 'It has ended.' : ''}</span>
      </div>
      {page?.problem ? <Notice kind="problem">{page.problem}</Notice> : null}
      <Lines lines={shown} label="Log" />
    </div>
  )
}

function Lines({ lines, label }: { readonly lines: readonly string[]; readonly label: string }) {
  const element = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current && element.current !== null) element.current.scrollTop = element.current.scrollHeight
  }, [lines])
  return (
    <pre
      ref={element}
      class="lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard
      tabIndex={0}
      role="log"
      aria-label={label}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 30
      }}
    >
      {lines.join('\n')}
    </pre>
  )
}

/** The lines of a log: each message brings those after the last. A log that begins again begins with line 0. */
function useLines(request: Request): { readonly lines: readonly string[]; readonly latest: ServerMessage | undefined } {
  const lines = useSignal<readonly string[]>([])
  const latest = useSignal<ServerMessage | undefined>(undefined)
  useEffect(() => {
    lines.value = []
    latest.value = undefined
    const opened = openStream(request, (message) => {
      latest.value = message
      if (message.type !== 'logs') return
      const { from, lines: more } = message.page
      if (from === 0 || more.length > 0) lines.value = [...(from === 0 ? [] : lines.peek()), ...more].slice(-MAX_LINES)
    })
    return () => opened.end()
  }, [JSON.stringify(request)])
  return { lines: lines.value, latest: latest.value }
}
