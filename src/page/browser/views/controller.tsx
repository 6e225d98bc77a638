import { humanDuration } from '../../../machinery/human-duration.ts'
import type { ControllerKey, ControllerPage, ControllerWrite, Reconciled } from '../../wire/controller-page.ts'
import { Link } from '../parts/link.tsx'
import { ageOf } from '../state/age.ts'
import { nowMs } from '../state/connection.ts'
import { millisecondsText } from '../state/milliseconds-text.ts'
import { objectPath } from '../state/route.ts'
import { TRAILS } from '../state/trails.ts'

/** A controller: its keys, and from which event came which writes. */
export function ControllerTab({ page }: { readonly page: ControllerPage }) {
  const { component, counts, keys, recent } = page
  return (
    <div class="scrolled controller">
      <p>
        of <b>{component}</b>, {counts.workers} at once. {counts.reconciled} reconciled,{' '}
        <span class={counts.failed > 0 ? 'bad' : ''}>{counts.failed} failed</span>.
      </p>
      <section aria-labelledby="keys">
        <h2 id="keys">
          Keys{' '}
          <small>
            {counts.working} working, {counts.waiting} waiting, {counts.delayed} later, {counts.failing} failing
          </small>
        </h2>
        {keys.length === 0 ? <p class="calm">Nothing waits.</p> : null}
        <ul>
          {keys.map((key) => (
            <Key key={key.key} of={key} />
          ))}
        </ul>
      </section>
      <section aria-labelledby="recent">
        <h2 id="recent">
          Last reconciliations <small>event → plan → writes</small>
        </h2>
        {recent.length === 0 ? <p class="calm">There was none yet.</p> : null}
        <ol class="reconciled">
          {recent.map((one, i) => (
            <Reconciliation key={i} one={one} />
          ))}
        </ol>
      </section>
    </div>
  )
}

function Key({ of: { key, state, untilMs, failures, error } }: { readonly of: ControllerKey }) {
  return (
    <li>
      <span class="change">{state === 'delayed' ? `in ${humanDuration(Math.max(0, untilMs - nowMs.value))}` : state}</span> <b>{key}</b>
      {failures > 0 ? (
        <span class="why">
          <span class="bad">failed {failures === 1 ? 'once' : `${failures} times`}:</span> {error}
        </span>
      ) : null}
    </li>
  )
}

function Reconciliation({ one: { key, timeMs, tookMs, error, cause, plan, writes, unlisted } }: { readonly one: Reconciled }) {
  return (
    <li class={error === '' ? '' : 'failed'}>
      <span class="when">{ageOf(timeMs)}</span> <Cause cause={cause} /> → <b>{key}</b>{' '}
      <small>{tookMs === null ? 'it runs' : millisecondsText(tookMs)}</small>
      {plan.length === 0 ? null : (
        <ul class="plan" aria-label="Plan">
          {plan.map(({ what, calm }, i) => (
            <li key={i} class={calm ? 'calm' : ''}>
              {what}
            </li>
          ))}
        </ul>
      )}
      {writes.length === 0 ? null : (
        <ul class="writes" aria-label="Writes">
          {writes.map((write, i) => (
            <Write key={i} write={write} />
          ))}
        </ul>
      )}
      {unlisted > 0 ? <span class="why">and {unlisted} more</span> : null}
      {error === '' ? null : <span class="why bad">{error}</span>}
    </li>
  )
}

function Cause({ cause }: Pick<Reconciled, 'cause'>) {
  if (cause === null) return <span class="calm">by time</span>
  const { request, revision } = cause
  if (request === '') return <span class="calm">revision {revision}</span>
  return <Link to={objectPath({ ...TRAILS, namespace: '', name: request })}>revision {revision}</Link>
}

function Write({ write: { what, object, error } }: { readonly write: ControllerWrite }) {
  return (
    <li>
      {object === null ? what : <Link to={objectPath(object)}>{what}</Link>}
      {error === '' ? null : <span class="why bad">{error}</span>}
    </li>
  )
}
