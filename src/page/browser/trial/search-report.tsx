import type { Finding, SearchReport } from '../../trial/operator-report.ts'
import { Fold } from './fold.tsx'
import { Block } from './scene.tsx'

/** A search for faults: each cause once, with the fewest steps that show it. */
export function SearchReportPart({ report }: { readonly report: SearchReport }) {
  const { findings, workloads, runs, seed, points, explored } = report
  return (
    <>
      <h1>{findings.length === 0 ? 'No fault found' : findings.length === 1 ? '1 fault found' : `${findings.length} faults found`}</h1>
      <p>
        {workloads === 1 ? '1 workload' : `${workloads} workloads`}, {runs} clusters, seed {seed}. {points.tried} of {points.found} points
        tried; {points.sameState} lead to a state that was tried, {points.sameCause} have a cause that was tried in another workload.
        {explored === undefined ? null : (
          <>
            {' '}
            {explored.fields.tried} of {explored.fields.found} fields changed, to {explored.values.tried} values (the API server refuses{' '}
            {explored.values.refused} more), {explored.pairs} pairs of fields.
          </>
        )}
      </p>
      <ol class="findings">
        {findings.map((finding, i) => (
          <FindingPart key={i} finding={finding} />
        ))}
      </ol>
    </>
  )
}

function FindingPart({ finding: { harm, symptoms, steps, fault, alsoSeen, guilty, timeline } }: { readonly finding: Finding }) {
  const [worst, ...others] = symptoms
  return (
    <li>
      <h2>
        <b class={harm === 'noisy' ? 'harm' : 'harm grave'}>{harm}</b> <span>{worst?.text}</span>
      </h2>
      <dl>
        {others.length === 0 ? null : <Row name="and">{others.map(({ text }) => text)}</Row>}
        <Row name="rule">{[worst?.rule ?? '']}</Row>
        <Row name="steps">{[steps.map(({ name }) => name).join(' → ')]}</Row>
        <Row name="fault">{[fault?.what ?? 'none, the steps alone']}</Row>
        {guilty === undefined || guilty.read.length === 0 ? null : <Row name="it had read">{guilty.read}</Row>}
        {guilty === undefined ? null : <Row name="and wrote">{[guilty.wrote]}</Row>}
        {alsoSeen === 0 ? null : <Row name="also seen">{[alsoSeen === 1 ? 'in 1 more history' : `in ${alsoSeen} more histories`]}</Row>}
      </dl>
      {timeline.length === 0 ? null : (
        <Fold summary="what happened">
          <Block label="What happened" text={timeline.join('\n')} />
        </Fold>
      )}
    </li>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: readonly string[] }) {
  return (
    <div>
      <dt>{name}</dt>
      {children.map((line, i) => (
        <dd key={i}>{line}</dd>
      ))}
    </div>
  )
}
