import type { Target } from '../../../machinery/api-call.ts'
import type { ObjectChange, RestState, SearchHistory } from '../history.ts'
import type { PlannedFault } from '../plan/planned-fault.ts'
import { resourceKey } from '../run/operator-seam.ts'
import { desiredAfter } from '../work-step.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import { lifeSymptoms } from './count-lives.ts'
import { stateSymptoms } from './end-state.ts'
import { conductSymptoms } from './judge-history.ts'
import { type JudgedWorkload, lastRests } from './judge-workload.ts'
import { byHarm, type Symptom } from './symptom.ts'

const RULE = 'a fault does not change the state that the cluster comes to'

/** What a fault changed that it must not change. */
export function faultSymptoms(judged: JudgedWorkload, fault: PlannedFault, found: SearchHistory): Symptom[] {
  const { recording, masked, compared } = judged
  const conduct = conductSymptoms(found, recording.steps).filter(
    ({ text }) => !conductSymptoms(recording.history, recording.steps).some((s) => s.text === text),
  )
  if (conduct.length > 0) return conduct
  const expected = lastRests(recording.history)
  // While events are held back, the operator cannot know better.
  const from = fault.kind === 'unobserved' ? fault.step + 1 : fault.step
  const desired = desiredAfter(recording.steps)
  // What an operator leaves behind that has never seen an object is not what one leaves behind that has.
  const isLeft = (step: number) => fault.kind === 'unobserved' && desired[step]?.size === 0
  const states = [...lastRests(found)]
    .filter(([step]) => step >= from && !isLeft(step))
    .map(([step, rest]) => stateAt(expected.get(step), rest))
  const state = states.find((symptoms) => symptoms.length > 0) ?? []
  const usual = recording.history.changes.slice(fault.at.changes)
  const lives = lifeSymptoms(usual, found.changes, {
    mustGo: mustGo(judged, fault),
    mayRepeat: fault.kind === 'unobserved' && fault.atOnce === true,
  })
  return [...state, ...lives].sort(byHarm)

  function stateAt(usually: RestState | undefined, now: RestState): Symptom[] {
    return usually === undefined ? [] : stateSymptoms(RULE, stateOf(usually, compared), stateOf(now, compared), masked)
  }
}

const stateOf = (rest: RestState, compared: Compared) => comparableState(rest.objects, compared)

/**
 * What an operator that misses events still has to delete, as it usually does: it has seen what the user wanted, or another object of the
 * same name is there now. One that has seen nothing of a change may leave everything as it is.
 */
function mustGo({ recording: { steps, history }, compared }: JudgedWorkload, fault: PlannedFault): (change: ObjectChange) => boolean {
  if (fault.kind !== 'unobserved') return () => false
  const samples = history.changes.filter((c) => compared.samples.has(c.object.kind)).map((c) => resourceKey(c.ref))
  if (samples.includes(fault.resource) && (steps[fault.step]?.remove ?? []).length === 0) return () => false
  const deletions = new Set(history.calls.filter(({ verb, code = 0 }) => verb === 'delete' && code < 400).map((c) => targetKey(c.target)))
  return ({ ref, object: { metadata } }) => deletions.has(targetKey({ ...ref, ...metadata }))
}

const targetKey = ({ group, resource, namespace = '', name = '' }: Partial<Target>) => `${group}/${resource} ${namespace}/${name}`
