import type { TrailLine, TrailPage } from '../../wire/messages.ts'
import { Link } from '../parts/link.tsx'
import { objectPath, TRAILS } from '../state/route.ts'

/** A request: its way through the server, with the time that each step took. */
export function TrailTab({ trail }: { readonly trail: TrailPage }) {
  const wholeMs = trail.tookMs ?? Math.max(0.001, ...trail.lines.map(({ startMs, tookMs }) => (startMs ?? 0) + (tookMs ?? 0)))
  return (
    <div class="scrolled trail">
      <p class="trail-head">
        <b class={trail.tone}>{trail.code || 'running'}</b> <code>{trail.summary}</code> by <b>{trail.user}</b>{' '}
        <small>{trail.userAgent}</small> {trail.tookMs === null ? '' : `in ${millisecondsText(trail.tookMs)}`}
      </p>
      {trail.message === '' ? null : <p class={`trail-message ${trail.tone}`}>{trail.message}</p>}
      <p>
        {trail.target === null ? null : <Link to={objectPath(trail.target)}>the object</Link>}{' '}
        {trail.cause === '' ? null : (
          <Link to={objectPath({ ...TRAILS, namespace: '', name: trail.cause })}>the request that caused it</Link>
        )}
      </p>
      <ol class="trail-lines">
        {trail.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a request are in order and stay there
          <Line key={i} line={line} wholeMs={wholeMs} />
        ))}
      </ol>
    </div>
  )
}

function Line({ line, wholeMs }: { readonly line: TrailLine; readonly wholeMs: number }) {
  const { name, what, tone, depth, startMs, tookMs, changes } = line
  const left = `${(100 * (startMs ?? 0)) / wholeMs}%`
  const width = `${Math.max(0.4, (100 * (tookMs ?? 0)) / wholeMs)}%`
  return (
    <li class={`trail-line depth-${depth} ${tone}`}>
      <span class="step">{name}</span>
      <span class="fact">
        {what}
        {changes.map((change) => (
          <code key={change} class="trail-change">
            {change}
          </code>
        ))}
      </span>
      <span class="number">{tookMs === null ? '' : millisecondsText(tookMs)}</span>
      <span class="bar" aria-hidden="true">
        {startMs === null ? null : <i style={{ left, width }} />}
      </span>
    </li>
  )
}

const millisecondsText = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`
