import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ForkDifference, ForkEntry, LabAction, LabPage } from '../../wire/lab-page.ts'
import { Answer } from '../parts/answer.tsx'
import { Link } from '../parts/link.tsx'
import { Notice, ViewNotice } from '../parts/notice.tsx'
import { ageOf } from '../state/age.ts'
import { callOnce, clusterName, readOnly } from '../state/connection.ts'
import { objectPath } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'
import { bindScrollKeys } from '../state/walk-keys.ts'
import { Diff } from './draft-outcome.tsx'

const SPANS: readonly (readonly [name: string, ms: number])[] = [
  ['a minute', 60_000],
  ['an hour', 3_600_000],
  ['a day', 86_400_000],
]

/** Forks of the cluster and how they differ from it, its clock, its snapshot. */
export function LabView() {
  const asked = useSignal(0)
  const message = useStream({ type: 'lab', serial: asked.value }).value
  useLayoutEffect(bindScrollKeys, [])
  return (
    <Answer message={message} type="lab" waiting="Reading …" title="Lab">
      {({ page }) => <Lab page={page} onCompare={() => asked.value++} />}
    </Answer>
  )
}

function Lab({ page: { canFork, canAdvance, forks }, onCompare }: { readonly page: LabPage; onCompare(): void }) {
  const busy = useSignal('')
  const problem = useSignal('')
  const act = async (what: string, action: LabAction) => {
    busy.value = what
    problem.value = ''
    const answer = await callOnce({ type: 'lab-call', action })
    busy.value = ''
    if (answer?.type !== 'lab-done') problem.value = 'The connection was lost: it is not known whether it was done.'
    else if (answer.done.message !== '') problem.value = answer.done.message
    else if (action.kind === 'snapshot') saveFile(answer.done.file)
  }
  if (!canFork)
    return (
      <ViewNotice title="Lab" kind="info">
        This cluster has no lab: only one of simulated nodes, in the process that serves this page (<code>bowsprit up</code>), can be forked
        and saved.
      </ViewNotice>
    )
  return (
    <section class="scrolled lab" aria-label="Lab">
      <h1>Lab</h1>
      {readOnly.value ? <Notice kind="info">This page is read-only.</Notice> : null}
      <p class="lab-actions">
        <button type="button" disabled={readOnly.value || busy.value !== ''} onClick={() => void act('a fork is made', { kind: 'fork' })}>
          Fork the cluster
        </button>
        <button
          type="button"
          disabled={readOnly.value || busy.value !== ''}
          onClick={() => void act('the snapshot is made', { kind: 'snapshot' })}
        >
          Save a snapshot
        </button>
        {forks.length === 0 ? null : (
          <button type="button" onClick={onCompare}>
            Compare again
          </button>
        )}
        <span role="status">{busy.value === '' ? '' : `${busy.value} …`}</span>
      </p>
      {problem.value === '' ? null : <Notice kind="problem">{problem.value}</Notice>}
      {canAdvance ? (
        <p class="lab-actions">
          The clock of this cluster is virtual. Advance it by{' '}
          {SPANS.map(([name, ms]) => (
            <button
              key={name}
              type="button"
              disabled={readOnly.value || busy.value !== ''}
              onClick={() => void act(`time passes`, { kind: 'advance', ms })}
            >
              {name}
            </button>
          ))}
        </p>
      ) : null}
      <p class="calm">
        A snapshot is for <code>bowsprit up --from FILE</code>. It has the cluster's keys and secrets in it.
      </p>
      {forks.length === 0 ? <p class="calm">There are no forks. What is tried on one changes nothing here.</p> : null}
      {forks.map((fork) => (
        <Fork key={fork.name} fork={fork} onDrop={() => void act('it is thrown away', { kind: 'drop', name: fork.name })} />
      ))}
    </section>
  )
}

function Fork({ fork: { name, about, createdMs, differences, hasMore, problem }, onDrop }: { readonly fork: ForkEntry; onDrop(): void }) {
  return (
    <section class="panel" aria-labelledby={name}>
      <h2 id={name}>{name}</h2>
      <p>
        {about}, {ageOf(createdMs)} ago{' '}
        <button type="button" disabled={readOnly.value} onClick={onDrop}>
          Throw it away
        </button>
      </p>
      {problem === '' ? null : <Notice kind="problem">{problem}</Notice>}
      {differences === null ? <p class="calm">Comparing …</p> : null}
      {differences?.length === 0 ? <p class="calm">Nothing is different.</p> : null}
      <ul>
        {differences?.map((each) => (
          <Difference key={`${each.kind}/${each.namespace}/${each.name}/${each.change}`} of={each} />
        ))}
      </ul>
      {hasMore ? <p class="calm">and more</p> : null}
    </section>
  )
}

function Difference({ of }: { readonly of: ForkDifference }) {
  const { kind, namespace, name, change, diff } = of
  const shown = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
  return (
    <li>
      <span class="change">{change}</span> {change === 'only there' ? shown : <Link to={objectPath(of)}>{shown}</Link>}
      {diff === '' ? null : (
        <details>
          <summary>what is different there</summary>
          <Diff diff={diff} />
        </details>
      )}
    </li>
  )
}

function saveFile(base64: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes]))
  link.download = `${clusterName.value || 'bowsprit'}.snapshot`
  link.click()
  URL.revokeObjectURL(link.href)
}
