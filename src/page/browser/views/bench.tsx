import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { DraftFault } from '../../wire/draft-page.ts'
import type { KindStep } from '../../wire/kind-bench.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { CodeArea } from '../parts/code-area.tsx'
import { Notice } from '../parts/notice.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { readOnly } from '../state/connection.ts'
import { useStream } from '../state/use-stream.ts'

/** The server is asked after a pause in typing, in milliseconds. */
const PAUSE_MS = 250
const NO_FAULTS: readonly DraftFault[] = []

/** An object of a custom kind, and what each step of the server makes of it. */
export function BenchTab({ object }: { readonly object: ObjectName }) {
  return readOnly.value ? <Notice kind="info">This page is read-only.</Notice> : <Bench object={object} />
}

function Bench({ object }: { readonly object: ObjectName }) {
  const typed = useSignal({ text: '', schema: '' })
  const given = useSignal({ text: '', schema: '', version: 0 })
  const asked = useSignal({ text: '', schema: '', serial: 0 })
  const part = useSignal<'text' | 'schema'>('text')
  const message = useStream({ type: 'bench', draft: { definition: object.name, ...asked.value } })
  useSignalEffect(() => {
    const { text, schema } = typed.value
    const timer = setTimeout(() => {
      const before = asked.peek()
      if (text !== before.text || schema !== before.schema) asked.value = { text, schema, serial: before.serial + 1 }
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  })
  useSignalEffect(() => {
    if (message.value?.type !== 'bench' || given.peek().version > 0) return
    const { text, schema } = message.value.bench
    given.value = { text, schema, version: 1 }
  })
  const bench = message.value?.type === 'bench' ? message.value.bench : undefined
  return (
    <div class="edit">
      {message.value?.type === 'error' ? <Notice kind="problem">{message.value.message}</Notice> : null}
      <p class="calm">
        What is typed here is stored nowhere: an object goes through the steps of the server, and a dry run; a changed schema is tried on it
        and on the stored objects.
      </p>
      <PartChoice chosen={part} />
      <div class="edit-parts">
        {given.value.version === 0 ? null : (
          <CodeArea
            key={part.value}
            text={typed.peek()[part.value] || given.value[part.value]}
            version={given.value.version}
            faults={(part.value === 'text' ? bench?.faults : bench?.schemaFaults) ?? NO_FAULTS}
            goTo={undefined}
            onText={(text) => {
              typed.value = { ...typed.peek(), [part.value]: text }
            }}
            onSave={() => {}}
          />
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard */}
        <aside class="outcome" aria-label="Steps of the server" tabIndex={0}>
          {[...(bench?.faults ?? []), ...(bench?.schemaFaults ?? [])].map(({ line, message: fault }) => (
            <p key={`${line} ${fault}`} class="bad">
              {line === 0 ? '' : `line ${line}: `}
              {fault}
            </p>
          ))}
          <ol class="kind-steps">
            {bench?.steps.map((step) => (
              <Step key={step.name} step={step} />
            ))}
          </ol>
          {bench === undefined || bench.stored === '' ? null : (
            <>
              <h2>What would be stored</h2>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard */}
              <pre class="diff" tabIndex={0}>
                {bench.stored}
              </pre>
            </>
          )}
        </aside>
      </div>
    </div>
  )
}

const PARTS = [
  ['text', 'Object'],
  ['schema', 'Schema'],
] as const

function PartChoice({ chosen }: { readonly chosen: Signal<'text' | 'schema'> }) {
  return (
    <p class="part-choice">
      {PARTS.map(([part, name]) => (
        <button
          key={part}
          type="button"
          aria-pressed={chosen.value === part}
          onClick={() => {
            chosen.value = part
          }}
        >
          {name}
        </button>
      ))}
    </p>
  )
}

function Step({ step: { name, tone, lines } }: { readonly step: KindStep }) {
  return (
    <li>
      <ToneMark tone={tone} /> <b>{name}</b>
      {lines.map((line) => (
        <span key={line} class={`why ${tone === 'bad' ? 'bad' : ''}`}>
          {line}
        </span>
      ))}
    </li>
  )
}
