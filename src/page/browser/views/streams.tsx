import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ServerMessage } from '../../wire/messages.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { Notice } from '../parts/notice.tsx'
import { openStream, type Request, readOnly, type Stream } from '../state/connection.ts'

/** Lines that the page keeps of a stream. */
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

interface ContainerChoiceProps {
  readonly containers: readonly string[]
  readonly chosen: string
  onChoose(name: string): void
}

function ContainerChoice({ containers, chosen, onChoose }: ContainerChoiceProps) {
  if (containers.length < 2) return null
  return (
    <label class="choice">
      container{' '}
      <select value={chosen || containers[0]} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {containers.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A shell in the pod's first container. */
export function ShellTab({ object }: { readonly object: ObjectName }) {
  const isOpen = useSignal(false)
  if (readOnly.value) return <Notice kind="info">This page is read-only.</Notice>
  if (isOpen.value) return <Shell object={object} />
  return (
    <div class="scrolled">
      <p>A shell can change what is in the container.</p>
      <button
        type="button"
        class="primary"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Run sh in {object.name}
      </button>
    </div>
  )
}

function Shell({ object }: { readonly object: ObjectName }) {
  const typed = useSignal('')
  const { lines, latest, ask } = useLines({ type: 'shell', object, container: '' })
  const page = latest?.type === 'shell' ? latest.page : undefined
  return (
    <div class="stream">
      {page?.problem ? <Notice kind="problem">{page.problem}</Notice> : null}
      <Lines lines={lines} label="Output of the shell" />
      <form
        class="stream-bar"
        onSubmit={(event) => {
          event.preventDefault()
          ask({ type: 'line', line: typed.value })
          typed.value = ''
        }}
      >
        <label class="shell-line">
          <code>$</code>
          <input
            autofocus
            aria-label="Command"
            autocomplete="off"
            spellcheck={false}
            disabled={page?.state !== 'running'}
            value={typed.value}
            onInput={({ currentTarget }) => {
              typed.value = currentTarget.value
            }}
          />
        </label>
        <span role="status">
          {page === undefined || page.state === 'starting' ? 'starting …' : page.state === 'ended' ? 'It has ended.' : ''}
        </span>
      </form>
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

/** The lines of a stream: each message brings those after the last. A stream that begins again begins with line 0. */
function useLines(request: Request): {
  readonly lines: readonly string[]
  readonly latest: ServerMessage | undefined
  ask(next: Request): void
} {
  const lines = useSignal<readonly string[]>([])
  const latest = useSignal<ServerMessage | undefined>(undefined)
  const stream = useRef<Stream>(undefined)
  useEffect(() => {
    lines.value = []
    latest.value = undefined
    const opened = openStream(request, (message) => {
      latest.value = message
      if (message.type !== 'logs' && message.type !== 'shell') return
      const { from, lines: more } = message.page
      if (from === 0 || more.length > 0) lines.value = [...(from === 0 ? [] : lines.peek()), ...more].slice(-MAX_LINES)
    })
    stream.current = opened
    return () => opened.end()
  }, [JSON.stringify(request)])
  return { lines: lines.value, latest: latest.value, ask: (next) => stream.current?.tell(next) }
}
