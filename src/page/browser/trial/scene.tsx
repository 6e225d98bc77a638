import type { TrialCall, TrialScene } from '../../trial/operator-report.ts'
import { outcomeText, type Timeline, type TimelineItem, timelineOf } from '../../trial/timeline.ts'
import { Fold } from './fold.tsx'

const percent = (part: number) => `${(part * 100).toFixed(2)}%`
const secondsText = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** What happened in a trial cluster: a lane for each object or collection, all requests, and the last output of the operator. */
export function Scene({ scene }: { readonly scene: TrialScene }) {
  const { calls, callsLeftOut, said } = scene
  const timeline = timelineOf(scene)
  return (
    <>
      <Lanes timeline={timeline} />
      <Legend endMs={timeline.endMs} />
      {timeline.marks.length === 0 ? null : (
        <ol class="trial-marks">
          {timeline.marks.map(({ what, atMs }, i) => (
            <li key={i}>
              {what} ({secondsText(atMs)})
            </li>
          ))}
        </ol>
      )}
      <Fold
        summary={`${calls.length === 1 ? '1 request' : `${calls.length} requests`}${callsLeftOut === 0 ? '' : ` (${callsLeftOut} more are left out)`}`}
      >
        <Block label="Requests" text={calls.map(callText).join('\n')} />
      </Fold>
      <Fold summary="what it printed last">
        <Block label="Output" text={said || 'nothing'} />
      </Fold>
    </>
  )
}

/** Text that keeps its lines. */
export function Block({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard (axe: scrollable-region-focusable)
    <pre class="trial-block" role="group" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  )
}

/** What the trial did is drawn above the lanes, the runs of the program behind them. */
function Lanes({ timeline: { lanes, marks, runs } }: { readonly timeline: Timeline }) {
  return (
    <div class="lanes" role="img" aria-label="When each object existed, and the requests about it; they are listed below">
      <div class="lanes-scale">
        {runs.map(({ from, to, run }) => (
          <u
            key={run}
            class={run % 2 === 0 ? 'even' : ''}
            style={{ left: percent(from), width: percent(to - from) }}
            title={`run ${run}`}
          />
        ))}
        {marks.map(({ at, atMs, what }, i) => (
          <s key={i} style={{ left: percent(at) }} title={`${atMs} ms: ${what}`}>
            <b>{i + 1}</b>
          </s>
        ))}
      </div>
      {lanes.map(({ name, items }) => (
        <div key={name} class="lane">
          <span title={name}>{name}</span>
          <div>
            {items.map((item, i) => (
              <Item key={i} item={item} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

function Item({ item: { from, to, kind, title, verb = '', refused, vain, faulty } }: { readonly item: TimelineItem }) {
  const classes = [
    kind === 'request' ? verb : kind === 'change' ? 'changed' : kind,
    refused && 'refused',
    vain && 'vain',
    faulty && 'faulty',
  ]
    .filter(Boolean)
    .join(' ')
  const isSpan = kind === 'life' || kind === 'watch'
  return <i class={classes} style={{ left: percent(from), ...(isSpan && { width: percent(to - from) }) }} title={title} />
}

const LEGEND: readonly (readonly [mark: string, what: string])[] = [
  ['life', 'it exists'],
  ['changed', 'it changes'],
  ['get', 'read'],
  ['create', 'create'],
  ['update', 'update, patch'],
  ['delete', 'delete'],
  ['update vain', 'changed nothing'],
  ['update refused', 'refused'],
  ['watch', 'watch'],
]

function Legend({ endMs }: { readonly endMs: number }) {
  return (
    <p class="lanes-legend">
      {LEGEND.map(([mark, what]) => (
        <span key={mark}>
          <i class={mark} /> {what}
        </span>
      ))}
      <span>{secondsText(endMs)} in all; times without a change are cut short.</span>
    </p>
  )
}

function callText(call: TrialCall): string {
  const { atMs, life, verb, path } = call
  return `${String(atMs).padStart(7)} ms  run ${life}  ${verb.padEnd(7)} ${path} → ${outcomeText(call)}`
}
