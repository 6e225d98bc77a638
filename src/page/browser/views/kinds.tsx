import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { KindEntry } from '../../wire/overview.ts'
import { Answer } from '../parts/answer.tsx'
import { Link } from '../parts/link.tsx'
import { listPath } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'
import { bindLinkKeys } from '../state/walk-keys.ts'

/** Every kind that the cluster serves, by group. */
export function KindsView() {
  const message = useStream({ type: 'kinds' }).value
  useLayoutEffect(bindLinkKeys, [])
  return (
    <Answer message={message} type="kinds" waiting="Reading the cluster …" title="Kinds">
      {({ kinds }) => <Kinds kinds={kinds} />}
    </Answer>
  )
}

function Kinds({ kinds }: { readonly kinds: readonly KindEntry[] }) {
  const filter = useSignal('')
  const wanted = filter.value.toLowerCase()
  const shown = kinds.filter(({ kind, resource, group, shortNames }) =>
    `${kind} ${resource}.${group} ${shortNames.join(' ')}`.toLowerCase().includes(wanted),
  )
  const groups = [...new Set(shown.map(({ group }) => group))].sort()
  return (
    <section class="kinds" aria-label="Kinds">
      <div class="toolbar">
        <h1>Kinds</h1>
        <input
          type="search"
          placeholder="filter (f)"
          aria-label="Filter kinds"
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value
          }}
        />
        <output class="count">{shown.length}</output>
      </div>
      <div class="groups">
        {groups.map((group) => (
          <section key={group} class="panel">
            <h2>{group || 'core'}</h2>
            <ul>
              {shown
                .filter((kind) => kind.group === group)
                .map((kind) => (
                  <li key={kind.resource}>
                    <Link to={listPath(kind)}>{kind.kind}</Link> <small>{[kind.resource, ...kind.shortNames].join(' ')}</small>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  )
}
