import type { Finding } from '../finding.ts'
import type { SearchReport } from '../search-operator.ts'

const MOST_SYMPTOMS = 4

/** A finding in lines: what went wrong, the shortest history that leads there, and what happened in it. */
export function findingText({ harm, symptoms, steps, fault, alsoSeen, guilty, timeline }: Finding): string {
  const rest = symptoms.slice(1, MOST_SYMPTOMS)
  return [
    `${harm.toUpperCase()}: ${symptoms[0]?.text ?? ''}`,
    ...rest.map(({ text }) => `  and ${text}`),
    `  rule: ${symptoms[0]?.rule ?? ''}`,
    `  steps: ${steps.map((s) => s.name).join(' → ')}`,
    `  fault: ${fault?.what ?? 'none, the steps alone'}`,
    ...(alsoSeen > 0 ? [`  ${alsoSeen} more ${alsoSeen === 1 ? 'history shows' : 'histories show'} the same`] : []),
    ...(guilty === undefined
      ? notWritten(symptoms)
      : [...guilty.read.map((line) => `  it had read: ${line}`), `  and wrote: ${guilty.wrote}`]),
    ...timeline.map((line) => `  |${line}`),
    '',
  ].join('\n')
}

/** What is missing because it was not written. */
const notWritten = ([worst]: Finding['symptoms']) =>
  worst?.text.endsWith(' is missing') === true ? ['  and did not write it after that'] : []

/** The last lines: how much was tried. */
export function searchEndText({ findings, points, runs, workloads, seed, explored }: SearchReport): string {
  const { found, tried, sameState, sameCause, outOfTime } = points
  return [
    `${findings.length === 0 ? 'no fault' : findings.length === 1 ? '1 fault' : `${findings.length} faults`} found`,
    `${workloads} workloads, ${runs} clusters, seed ${seed}`,
    `${tried} of ${found} points tried; ${sameState} lead to a state that was tried, ${sameCause} have a cause that was tried in another workload`,
    ...(outOfTime === 0 ? [] : [`the time was over: ${outOfTime} points were not tried, and no history was shortened`]),
    ...(explored === undefined ? [] : [exploredText(explored)]),
  ].join('\n')
}

const exploredText = ({ fields, values, pairs }: NonNullable<SearchReport['explored']>) =>
  [
    `${fields.tried} of ${fields.found} fields changed, to ${values.tried} values (the API server refuses ${values.refused} more), ${pairs} pairs of fields`,
    ...(fields.tried < fields.found
      ? [`the other ${fields.found - fields.tried} fields were not tried: --most-fields ${fields.found} includes them`]
      : []),
  ].join('\n')
