import { useSignal } from '@preact/signals'
import type { Saved } from '../../wire/draft-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { WhyChange, WhyNode, WhyPage, WhyQueue, WhyView } from '../../wire/why-page.ts'
import { Answer } from '../parts/answer.tsx'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { ageOf } from '../state/age.ts'
import { callOnce, readOnly } from '../state/connection.ts'
import { objectPath } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'

/** Why a pod is on its node, or on none, and what would help. */
export function WhyTab({ object }: { readonly object: ObjectName }) {
  const message = useStream({ type: 'why', object }).value
  return (
    <Answer message={message} type="why" waiting="Asking the scheduler …">
      {({ page }) => <Why object={object} page={page} />}
    </Answer>
  )
}

function Why({ object, page }: { readonly object: ObjectName; readonly page: WhyPage }) {
  return (
    <div class="scrolled why-page">
      {page.problem === '' ? null : <Notice kind="problem">This may be old: {page.problem}</Notice>}
      <p class="why-summary">{page.summary}</p>
      {page.attempt === null ? null : (
        <p class="calm">
          Attempt {page.attempt.number}, {ageOf(page.attempt.timeMs)} ago, by {page.scheduler}: {page.attempt.message}
          {page.attempt.victims.length > 0 ? `; it preempts ${page.attempt.victims.join(', ')}` : ''}
        </p>
      )}
      {page.queue === null ? null : <Queue queue={page.queue} />}
      <Changes object={object} page={page} />
      {page.view === null ? null : <Nodes view={page.view} />}
    </div>
  )
}

const QUEUES: Readonly<Record<WhyQueue['queue'], string>> = {
  InFlight: 'It is being scheduled',
  Active: 'It is tried when its turn comes',
  Backoff: 'It waits after a failure',
  Unschedulable: 'It waits for an event that may let it in',
  Gated: 'It is kept out of the queue',
}

function Queue({ queue: { queue, attempts, sinceMs, message, wokenBy } }: { readonly queue: WhyQueue }) {
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">In the scheduler's queue</h2>
      <p>
        {QUEUES[queue]}, for {ageOf(sinceMs)}; tried {attempts === 1 ? 'once' : `${attempts} times`}.{message === '' ? '' : ` ${message}.`}
        {wokenBy.length === 0 ? null : (
          <>
            {' '}
            Woken by{' '}
            {wokenBy.map((event) => (
              <code key={event} class="chip">
                {event}
              </code>
            ))}
          </>
        )}
      </p>
    </section>
  )
}

function Changes({ object, page }: { readonly object: ObjectName; readonly page: WhyPage }) {
  const { changes, together, canTry } = page
  return (
    <>
      {changes.length === 0 ? null : (
        <section aria-labelledby="changes">
          <h2 id="changes">The smallest changes that would let it in</h2>
          <ul class="changes">
            {changes.map((change) => (
              <Change key={change.message} object={object} change={change} canTry={canTry} />
            ))}
          </ul>
        </section>
      )}
      {together.length === 0 ? null : (
        <section aria-labelledby="together">
          <h2 id="together">No single change is enough; these together are</h2>
          <ul class="changes">
            {together.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

interface ChangeProps {
  readonly object: ObjectName
  readonly change: WhyChange
  readonly canTry: boolean
}

function Change({ object, change, canTry }: ChangeProps) {
  const tried = useSignal(false)
  const made = useSignal<Saved | 'making' | undefined>(undefined)
  const trial = useStream(tried.value ? { type: 'try', object, change: change.message } : undefined).value
  const make = async () => {
    made.value = 'making'
    const answer = await callOnce({ type: 'change', object, change: change.message })
    made.value = answer?.type === 'saved' ? answer.saved : { outcome: 'unknown', message: 'the connection was lost', text: '' }
  }
  return (
    <li>
      <span class="change-text">{change.message}</span>
      {change.canBeMade && canTry ? (
        <button
          type="button"
          disabled={tried.value}
          onClick={() => {
            tried.value = true
          }}
        >
          Try on a fork
        </button>
      ) : null}
      {change.canBeMade && !readOnly.value ? (
        <button type="button" disabled={made.value !== undefined} onClick={() => void make()}>
          Do it
        </button>
      ) : null}
      {change.command === '' ? null : <code class="command">{change.command}</code>}
      {trial?.type === 'try' ? (
        <p role="status" class={`trial trial-${trial.trial.state}`}>
          {trial.trial.fork === '' ? '' : `${trial.trial.fork}: `}
          {TRIALS[trial.trial.state]} {trial.trial.message}
          {trial.trial.state === 'trying' ? '' : ` (${(trial.trial.tookMs / 1000).toFixed(2)} s)`}{' '}
          {trial.trial.fork === '' ? null : <Link to="/lab">the lab</Link>}
        </p>
      ) : null}
      {trial?.type === 'error' ? <Notice kind="problem">{trial.message}</Notice> : null}
      {made.value === undefined || made.value === 'making' ? null : <p role="status">{madeText(made.value)}</p>}
    </li>
  )
}

const TRIALS = { trying: '…', runs: 'the pod runs,', waits: 'the pod does not run yet:', failed: 'it could not be tried:' } as const

const madeText = ({ outcome, message }: Saved): string =>
  outcome === 'stored' ? 'Done.' : outcome === 'refused' ? `It was refused: ${message}` : `It is not known whether it was done: ${message}`

function Nodes({ view }: { readonly view: WhyView }) {
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">
        Nodes and plugins <small>{`${view.fitting} of ${view.nodes} would take it`}</small>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard */}
      <div class="table-scroll" tabIndex={0} role="group" aria-labelledby="nodes">
        <table class="verdicts">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Total</th>
              {view.plugins.map((plugin) => (
                <th key={plugin} scope="col">
                  {plugin}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {view.list.map((node) => (
              <NodeVerdicts key={node.name} node={node} />
            ))}
          </tbody>
        </table>
      </div>
      {view.unlisted > 0 ? <p class="calm">and {view.unlisted} more nodes</p> : null}
      {view.notAsked.length > 0 ? <p class="calm">Not asked again: {view.notAsked.join(', ')}</p> : null}
    </section>
  )
}

function NodeVerdicts({ node: { name, fits, chosen, total, cells } }: { readonly node: WhyNode }) {
  return (
    <tr class={chosen ? 'chosen' : ''}>
      <th scope="row">
        <Link to={objectPath({ group: '', version: 'v1', resource: 'nodes', namespace: '', name })}>{name}</Link> {chosen ? '← here' : ''}
      </th>
      <td class="number">{total ?? (fits ? '✓' : '✗')}</td>
      {cells.map(({ rejects, text }, i) => (
        <td key={i} class={rejects ? 'rejects' : 'number'}>
          {rejects ? `✗ ${text}` : text || '✓'}
        </td>
      ))}
    </tr>
  )
}
