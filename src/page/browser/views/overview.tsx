import { useLayoutEffect } from 'preact/hooks'
import type { ObjectSummary } from '../../wire/object-name.ts'
import type { ClusterWarning, ObjectChange, Overview } from '../../wire/overview.ts'
import { shownText } from '../../wire/shown-text.ts'
import { Answer } from '../parts/answer.tsx'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { ageOf } from '../state/age.ts'
import { isServed } from '../state/kinds.ts'
import { atRevision, listPath, objectPath } from '../state/route.ts'
import { isPods } from '../state/tabs.ts'
import { lastRefusals, TRAIL_CELLS, TRAILS } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'
import { bindLinkKeys } from '../state/walk-keys.ts'
import { FailingReports } from './failing-reports.tsx'

/** Is it well, and what happened just now? */
export function OverviewView() {
  const message = useStream({ type: 'overview' }).value
  useLayoutEffect(bindLinkKeys, [])
  return (
    <Answer message={message} type="overview" waiting="Reading the cluster …" title="Overview">
      {({ overview }) => <Panels overview={overview} />}
    </Answer>
  )
}

function Panels({ overview }: { readonly overview: Overview }) {
  return (
    <section class="overview" aria-label="Overview">
      <h1 class="hidden">Overview</h1>
      {overview.problems.map((problem) => (
        <Notice kind="problem" key={problem}>
          {problem}
        </Notice>
      ))}
      <div class="panels">
        <Unhappy overview={overview} />
        {isServed(TRAILS) && atRevision.value === '' ? <Refusals /> : null}
        <Warnings warnings={overview.warnings} />
        <Changes changes={overview.changes} />
        <Counts overview={overview} />
      </div>
    </section>
  )
}

function Unhappy({ overview: { unhappy, moreUnhappy, loading } }: { readonly overview: Overview }) {
  return (
    <section class="panel" aria-labelledby="unhappy">
      <h2 id="unhappy">
        Needs attention <small>{unhappy.length + moreUnhappy || ''}</small>
      </h2>
      {unhappy.length > 0 ? (
        <ul>
          {unhappy.map((object) => (
            <li key={objectPath(object)}>
              <ObjectLink object={object} />
              <span class="why">
                {object.health} {isPods(object) ? <Link to={objectPath(object, 'why')}>Why?</Link> : null}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="calm">{loading > 0 ? 'Reading …' : 'All objects are well.'}</p>
      )}
      {moreUnhappy > 0 ? <p class="calm">and {moreUnhappy} more</p> : null}
      {atRevision.value === '' ? <FailingReports /> : null}
    </section>
  )
}

function Changes({ changes }: { readonly changes: readonly ObjectChange[] }) {
  return (
    <section class="panel" aria-labelledby="changes">
      <h2 id="changes">Just changed</h2>
      {changes.length === 0 ? <p class="calm">Nothing since this view was opened.</p> : null}
      <ul>
        {changes.map((change) => (
          <li key={objectPath(change)}>
            <span class="when">{ageOf(change.timeMs)}</span>
            <span class={`change change-${change.change}`}>{change.change}</span>
            <ObjectLink object={change} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const MAX_REFUSALS = 30

/** The requests that were refused last, with the reason. */
function Refusals() {
  const message = useStream({ type: 'rows', query: lastRefusals(MAX_REFUSALS) }).value
  const rows = message?.type === 'rows' ? message.page.rows : []
  return (
    <section class="panel" aria-labelledby="refusals">
      <h2 id="refusals">Just refused</h2>
      {message?.type === 'error' ? <p class="calm">{message.message}</p> : null}
      {message?.type === 'rows' && rows.length === 0 ? <p class="calm">No request was.</p> : null}
      <ul>
        {rows.map(([uid, , name, , cells]) => (
          <li key={uid}>
            <span class="when">{ageOf(Number(cells[TRAIL_CELLS.age]))}</span>
            <b class="bad">{cells[TRAIL_CELLS.code]}</b>{' '}
            <Link to={objectPath({ ...TRAILS, namespace: '', name })}>
              {cells[TRAIL_CELLS.verb]} {cells[TRAIL_CELLS.target]}
            </Link>{' '}
            by {cells[TRAIL_CELLS.user]}
            <span class="why">{cells[TRAIL_CELLS.message]}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Counts({ overview: { counts } }: { readonly overview: Overview }) {
  return (
    <section class="panel" aria-labelledby="counts">
      <h2 id="counts">Kinds</h2>
      <ul class="counts">
        {counts.map((kind) => (
          <li key={listPath(kind)}>
            <Link to={listPath(kind)}>{kind.kind}</Link>
            <span class="number">
              {kind.bad > 0 ? <b class="bad">{kind.bad} ▲ </b> : null}
              {kind.count}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Warnings({ warnings }: { readonly warnings: readonly ClusterWarning[] }) {
  return (
    <section class="panel" aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      {warnings.length === 0 ? <p class="calm">None in the last hour.</p> : null}
      <ul>
        {warnings.map((warning, i) => (
          <li key={i}>
            <span class="when">{ageOf(warning.lastMs)}</span>
            <b>{warning.reason}</b> {warning.kind} {warning.about.namespace === '' ? '' : `${warning.about.namespace}/`}
            {warning.about.name}
            <span class="why">{warning.message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** An object by kind and name, with a link to its view. */
export function ObjectLink({ object }: { readonly object: ObjectSummary }) {
  const { kind, namespace, name, tone } = object
  return (
    <Link to={objectPath(object)} class="object">
      <ToneMark tone={tone} /> <span class="kind">{kind}</span>{' '}
      {namespace === '' ? '' : <span class="namespace">{shownText(namespace)}/</span>}
      <span class="name">{shownText(name)}</span>
    </Link>
  )
}
