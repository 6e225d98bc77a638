import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ObjectName } from '../../wire/object-name.ts'
import { TERMINAL_PATH } from '../../wire/protocol.ts'
import type { TerminalPage, TerminalQuery } from '../../wire/streams.ts'
import { ContainerChoice } from '../parts/container-choice.tsx'
import { Notice } from '../parts/notice.tsx'
import { openStream, readOnly } from '../state/connection.ts'
import type { TerminalScreen } from '../terminal/terminal-screen.ts'

interface TerminalTabProps {
  readonly object: ObjectName
  readonly command: TerminalQuery['command']
}

const WORDS: Readonly<Record<TerminalQuery['command'], readonly [what: string, button: string]>> = {
  shell: ['A shell can change what is in the container.', 'Run sh in'],
  attach: ['What is typed goes to the process of the container; Ctrl+C may end it.', 'Attach to'],
}

/** A terminal in a container of the pod; it begins with a click, as a write does. */
export function TerminalTab({ object, command }: TerminalTabProps) {
  const isOpen = useSignal(false)
  const start = useRef<HTMLButtonElement>(null)
  // Who has come by a key goes on by Enter.
  useEffect(() => start.current?.focus(), [])
  if (readOnly.value) return <Notice kind="info">This page is read-only.</Notice>
  if (isOpen.value) return <OpenTerminal object={object} command={command} />
  const [what, button] = WORDS[command]
  return (
    <div class="scrolled">
      <p>{what}</p>
      <button
        ref={start}
        type="button"
        class="primary"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {button} {object.name}
      </button>
    </div>
  )
}

function OpenTerminal({ object, command }: TerminalTabProps) {
  const container = useSignal('')
  const run = useSignal(0)
  const screen = useSignal<TerminalScreen | undefined>(undefined)
  const page = useSignal<TerminalPage | undefined>(undefined)
  const bar = useRef<HTMLDivElement>(null)
  const send = useRef<TerminalSender>(undefined)
  useEffect(() => {
    const shown = screen.value
    if (shown === undefined) return
    shown.reset()
    send.current = followTerminal(shown, { object, container: container.value, command, size: shown.size() }, (next) => {
      page.value = next
    })
    return () => send.current?.end()
  }, [screen.value, container.value, run.value])
  const onLoad = ({ currentTarget: { contentWindow } }: { currentTarget: HTMLIFrameElement }) => {
    screen.value = contentWindow?.openTerminal?.({
      onKeys: (text) => send.current?.keys(text),
      onSize: (size) => send.current?.resize(size),
      onLeave: () => bar.current?.focus(),
    })
  }
  const { containers = [], state = 'starting', takesInput = true, problem = '', exitCode = null } = page.value ?? {}
  return (
    <div class="stream">
      <div class="stream-bar" ref={bar} tabIndex={-1} role="group" aria-label="Terminal">
        <ContainerChoice containers={containers} chosen={container.value} onChoose={(name) => (container.value = name)} />
        <span role="status">{stateText(state, takesInput, exitCode)}</span>
        {state === 'ended' ? (
          <button type="button" onClick={() => run.value++}>
            Again
          </button>
        ) : null}
        <small>Shift+Escape leaves the terminal.</small>
      </div>
      {problem === '' ? null : <Notice kind="problem">{problem}</Notice>}
      <iframe class="terminal" title="Terminal" src={TERMINAL_PATH} onLoad={onLoad} />
    </div>
  )
}

function stateText(state: TerminalPage['state'], takesInput: boolean, exitCode: number | null): string {
  if (state === 'starting') return 'starting …'
  if (state === 'running') return takesInput ? '' : 'It takes no input: the container has no stdin.'
  return exitCode === null ? 'It has ended.' : `It has ended with ${exitCode}.`
}

interface TerminalSender {
  keys(text: string): void
  resize(size: TerminalQuery['size']): void
  end(): void
}

/** What is sent at once of a long text that is pasted. */
const PART = 4_096

/** Shows a terminal of a pod, from its beginning. */
function followTerminal(screen: TerminalScreen, query: TerminalQuery, receive: (page: TerminalPage) => void): TerminalSender {
  let hasBegun = false
  const stream = openStream({ type: 'terminal', query }, (message) => {
    if (message.type !== 'terminal') return
    const { page } = message
    // The connection was lost, and another process has been started.
    if (page.state === 'starting' && hasBegun) screen.reset()
    hasBegun = page.state !== 'starting'
    screen.setTty(page.hasTty)
    screen.write(Uint8Array.from(atob(page.output), (character) => character.charCodeAt(0)))
    receive(page)
  })
  return {
    keys(text) {
      for (let at = 0; at < text.length; at += PART) stream.tell({ type: 'keys', text: text.slice(at, at + PART) })
    },
    resize: (size) => stream.tell({ type: 'resize', size }),
    end: () => stream.end(),
  }
}
