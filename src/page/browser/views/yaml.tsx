import { useSignal } from '@preact/signals'
import type { FieldManager, ObjectPage, YamlLine } from '../../wire/messages.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { ageOf } from '../state/age.ts'

const LINE_PX = 20

/** The object as YAML; beside each line who set the field that begins there. */
export function YamlTab({ page: { lines, managers, unsent } }: { readonly page: ObjectPage }) {
  const window = useSignal({ from: 0, count: 100 })
  const { from, count } = window.value
  const shown = lines.slice(from, from + count)
  return (
    <div class="yaml">
      <VirtualList
        total={lines.length}
        from={from}
        lineHeight={LINE_PX}
        cursor={-1}
        label="YAML of the object"
        onWindow={(next) => {
          window.value = next
        }}
      >
        {shown.map((line, i) => (
          <Line key={from + i} line={line} managers={managers} before={i === 0 ? undefined : shown[i - 1]} />
        ))}
      </VirtualList>
      {unsent > 0 ? <p class="calm">{unsent} more lines are not shown.</p> : null}
    </div>
  )
}

interface LineProps {
  readonly line: YamlLine
  readonly managers: readonly FieldManager[]
  readonly before: YamlLine | undefined
}

function Line({ line: [indent, text, owners], managers, before }: LineProps) {
  const [, key = '', rest = text] = /^((?:- )?[^\s:"']+:)(.*)$/s.exec(text.trimStart()) ?? []
  const lead = indent + text.length - text.trimStart().length
  // An owner of several lines is named at the first of them.
  const same = before !== undefined && before[2].join() === owners.join()
  const names = owners.map((index) => managers[index]).filter((manager) => manager !== undefined)
  return (
    <div class="yaml-line">
      <code>
        {' '.repeat(lead)}
        {key === '' ? null : <span class="key">{key}</span>}
        <span class="value">{rest}</span>
      </code>
      <span class={`owner ${same ? 'same' : ''}`} title={names.map(managerText).join('\n')}>
        {names.map(({ manager, operation, timeMs }) => (
          <span key={manager + operation}>
            {manager}{' '}
            <small>
              {operation === 'Apply' ? 'apply ' : ''}
              {ageOf(timeMs)}
            </small>{' '}
          </span>
        ))}
      </span>
    </div>
  )
}

const managerText = ({ manager, operation, subresource, timeMs }: FieldManager): string =>
  [manager, operation, subresource, timeMs === 0 ? '' : new Date(timeMs).toISOString()].filter((part) => part !== '').join(' · ')
