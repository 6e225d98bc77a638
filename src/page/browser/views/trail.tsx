import type { ObjectName } from '../../wire/object-name.ts'
import type { TrailLine, TrailLink, TrailPage } from '../../wire/trail-page.ts'
import { Link } from '../parts/link.tsx'
import { millisecondsText } from '../state/milliseconds-text.ts'
import { objectPath } from '../state/route.ts'
import { TRAILS } from '../state/trails.ts'

/** A request: its way through the server, with the time that each step took. */
export function TrailTab({ trail }: { readonly trail: TrailPage }) {
  const wholeMs = trail.tookMs ?? Math.max(0.001, ...trail.lines.map(({ startMs, tookMs }) => (startMs ?? 0) + (tookMs ?? 0)))
  return (
    <div class="scrolled trail">
      <p class="trail-head">
        <b class={trail.tone}>{trail.code || 'running'}</b> by <b>{trail.user}</b> <small>{trail.userAgent}</small>{' '}
        {trail.tookMs === null ? '' : `in ${millisecondsText(trail.tookMs)}`}
      </p>
      {trail.message === '' ? null : <p class={`trail-message ${trail.tone}`}>{trail.message}</p>}
      {trail.target === null ? null : <Target target={trail.target} revision={trail.storedRevision} />}
      {trail.cause === null ? null : (
        <p class="trail-cause">
          {trail.cause.controller} acted on <Other link={trail.cause} />
        </p>
      )}
      {trail.unrecorded ? (
        <p class="calm">What each admission plugin does is recorded while somebody looks at requests, as you do now.</p>
      ) : null}
      <ol class="trail-lines">
        {trail.lines.map((line, i) => (
          <Line key={i} line={line} wholeMs={wholeMs} />
        ))}
      </ol>
      <Caused links={trail.caused} />
    </div>
  )
}

function Target({ target, revision }: { readonly target: ObjectName; readonly revision: string }) {
  const path = objectPath(target)
  return (
    <p>
      <Link to={path}>The object as it is now</Link>
      {revision === '' ? null : (
        <>
          {' '}
          · <Link to={`${path}?at=${revision}`}>as it was then</Link>
        </>
      )}
    </p>
  )
}

/** What controllers wrote because of the request: each is a request of its own, and may have caused others. */
function Caused({ links }: { readonly links: readonly TrailLink[] }) {
  if (links.length === 0) return null
  return (
    <section aria-labelledby="caused">
      <h2 id="caused">It caused</h2>
      <ul class="caused">
        {links.map((link) => (
          <li key={link.request}>
            <span class="calm">{link.controller}</span> <Other link={link} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const Other = ({ link: { request, what } }: { readonly link: TrailLink }) =>
  request === '' ? (
    <span>{what}, whose request is no longer kept</span>
  ) : (
    <Link to={objectPath({ ...TRAILS, namespace: '', name: request })}>{what}</Link>
  )

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
