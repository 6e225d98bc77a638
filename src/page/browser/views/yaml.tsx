import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { FieldManager, HistoryEntry, ObjectPage, YamlLine } from '../../wire/object-page.ts'
import { Link } from '../parts/link.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { ageOf } from '../state/age.ts'
import { objectPath } from '../state/route.ts'
import { TRAILS } from '../state/trails.ts'

const LINE_PX = 20

/** The object as YAML; beside each line who set the field that begins there, by which request. */
export function YamlTab({ page }: { readonly page: ObjectPage }) {
  const window = useSignal({ from: 0, count: 100 })
  const { from, count } = window.value
  const { lines, unsent } = page
  const starts = useMemo(() => runStarts(lines), [lines])
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
        {lines.slice(from, from + count).map((line, i) => (
          <Line key={from + i} line={line} page={page} isStart={starts.has(from + i)} />
        ))}
      </VirtualList>
      {unsent > 0 ? <p class="calm">{unsent} more lines are not shown.</p> : null}
    </div>
  )
}

/** Lines whose owner is not that of the last line above that has one: there the owner is named. */
function runStarts(lines: readonly YamlLine[]): ReadonlySet<number> {
  const starts = new Set<number>()
  let before = ''
  for (const [i, [, , owners, change]] of lines.entries()) {
    const own = `${owners} ${change}`
    if (owners.length === 0 || own === before) continue
    starts.add(i)
    before = own
  }
  return starts
}

interface LineProps {
  readonly line: YamlLine
  readonly page: Pick<ObjectPage, 'managers' | 'history'>
  readonly isStart: boolean
}

/** So many colours tell managers apart. */
const COLOURS = 6

function Line({ line: [indent, text, owners, change], page: { managers, history }, isStart }: LineProps) {
  const [, key = '', rest = text] = /^((?:- )?[^\s:"']+:)(.*)$/s.exec(text.trimStart()) ?? []
  const lead = indent + text.length - text.trimStart().length
  const names = owners.map((index) => managers[index]).filter((manager) => manager !== undefined)
  const [first] = owners
  return (
    <div class="yaml-line">
      <code>
        {' '.repeat(lead)}
        {key === '' ? null : <span class="key">{key}</span>}
        <span class="value">{rest}</span>
      </code>
      <span class={`owner ${isStart ? '' : 'same'}`} title={names.map(managerText).join('\n')}>
        {first === undefined ? null : <i class={`stripe by-${first % COLOURS}`} aria-hidden="true" />}
        {names.map((manager) => (
          <Owner key={manager.manager + manager.operation} manager={manager} setBy={history?.[change]} />
        ))}
      </span>
    </div>
  )
}

function Owner({
  manager: { manager, operation, timeMs },
  setBy,
}: {
  readonly manager: FieldManager
  readonly setBy: HistoryEntry | undefined
}) {
  const isApply = operation === 'Apply' ? 'apply ' : ''
  return (
    <span>
      <small>
        {setBy === undefined || setBy.request === '' || setBy.manager !== manager ? (
          `${isApply}${ageOf(timeMs)}`
        ) : (
          <Link to={objectPath({ ...TRAILS, namespace: '', name: setBy.request })} title={`by ${setBy.user}: open the request`}>
            {setBy.verb} {ageOf(setBy.timeMs)}
          </Link>
        )}
      </small>{' '}
      {manager}{' '}
    </span>
  )
}

const managerText = ({ manager, operation, subresource, timeMs }: FieldManager): string =>
  [manager, operation, subresource, timeMs === 0 ? '' : new Date(timeMs).toISOString()].filter((part) => part !== '').join(' · ')
