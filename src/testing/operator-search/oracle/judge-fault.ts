import type { Target } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { TOUCHED } from '../../operator-trial/state.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import { type ObjectChange, objectsAfter, type RestState, type SearchHistory } from '../history.ts'
import type { PlannedFault, WriteFault } from '../plan/planned-fault.ts'
import { resourceKey } from '../run/operator-seam.ts'
import { INJECTED_ERROR } from '../run/try-fault.ts'
import { desiredAfter, removes } from '../work-step.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import { lifeSymptoms } from './count-lives.ts'
import { stateSymptoms } from './end-state.ts'
import { conductSymptoms } from './judge-history.ts'
import { type JudgedWorkload, lastRests } from './judge-workload.ts'
import { byHarm, kindOf, type Symptom } from './symptom.ts'

const RULE = 'a fault does not change the state that the cluster comes to'
const OTHERS = 'what others write at the same time stays'

/** What a fault changed that it must not change. */
export function faultSymptoms(judged: JudgedWorkload, fault: PlannedFault, found: SearchHistory): Symptom[] {
  const { recording, masked, compared } = judged
  const usual = conductSymptoms(recording.history, recording.steps)
  const conduct = conductSymptoms(endsForFailure(fault, found), recording.steps).filter(({ text }) => !usual.some((s) => s.text === text))
  if (conduct.length > 0) return conduct
  const expected = lastRests(recording.history)
  // While events are held back, the operator cannot know better.
  const from = fault.kind === 'unobserved' || fault.kind === 'late' ? fault.step + 1 : fault.step
  const desired = desiredAfter(recording.steps)
  const atFork = objectsAfter(recording.history.changes.slice(0, fault.at.changes))
  // An operator that has never seen an object may leave other things behind than one that has.
  const isLeft = (step: number) => fault.kind === 'unobserved' && desired[step]?.size === 0
  const states = [...lastRests(found)]
    .filter(([step]) => step >= from && !isLeft(step))
    .map(([step, rest]) => stateAt(expected.get(step), rest))
  const differing = states.find((symptoms) => symptoms.length > 0) ?? []
  // An operator that reports the error in the status has not swallowed it: it waits for its user.
  const isReported =
    fault.kind === 'error' && differing.some(({ text }) => compared.samples.has(kindOf(text)) && text.includes(': .status.'))
  const state = isReported ? [] : differing
  const expectedChanges = recording.history.changes.slice(fault.at.changes)
  const lives = lifeSymptoms(expectedChanges, found.changes, {
    mustGo: mustGo(judged, fault),
    // What arrives late may be made for an owner that is gone, or be undone.
    mayRepeat: fault.kind === 'late' || (fault.kind === 'unobserved' && fault.atOnce === true),
  })
  return [...state, ...lives, ...undoneChanges(fault, found, compared)].sort(byHarm)

  function stateAt(usually: RestState | undefined, now: RestState): Symptom[] {
    if (usually === undefined) return []
    const counted = withoutKeptSecrets(masked, { atFork, usually, compared })
    const differing = stateSymptoms(RULE, stateOf(usually, compared), stateOf(now, compared), counted)
    return fault.kind === 'late' && removes(recording.steps[now.step]) ? differing.filter(({ text }) => !isUnmade(text, atFork)) : differing
  }
}

/** How a write fails with which a fault interferes. */
const FAILURES: Readonly<Record<WriteFault['kind'], RegExp>> = {
  error: new RegExp(INJECTED_ERROR),
  conflict: /the object has been modified/,
  late: /the object has been modified|not found/,
}

/** The history without ends of the operator for a write that was made to fail: it is started again, as by a kubelet. */
function endsForFailure({ kind }: PlannedFault, history: SearchHistory): SearchHistory {
  if (kind !== 'error' && kind !== 'conflict' && kind !== 'late') return history
  return { ...history, deaths: history.deaths.filter((how) => !FAILURES[kind].test(how)) }
}

/**
 * Whether a symptom says that an object is missing that did not exist before the fault: its creation may have been cut off by a deletion.
 */
const isUnmade = (text: string, atFork: readonly Readonly<KubeObject>[]) =>
  text.endsWith(' is missing') && !atFork.some((object) => text.startsWith(`${keyOf(object)} `))

interface KeptSecrets {
  /** The objects when the fault began. */
  readonly atFork: readonly Readonly<KubeObject>[]
  readonly usually: RestState
  readonly compared: Compared
}

/** The masked paths without those of secrets that existed before the fault and usually stay as they are: they must not be made anew. */
function withoutKeptSecrets(masked: ReadonlySet<string>, { atFork, usually, compared }: KeptSecrets): ReadonlySet<string> {
  const secrets = (objects: readonly Readonly<KubeObject>[]) => objects.filter(({ kind }) => kind === 'Secret')
  const [was, is] = [atFork, usually.objects].map((objects) => comparableState(secrets(objects), compared))
  return new Set([...masked].filter((path) => was?.get(path) === undefined || was.get(path) !== is?.get(path)))
}

/** Annotations that another client set at the same time, and that are gone: they must stay. */
function undoneChanges(fault: PlannedFault, { changes, rests }: SearchHistory, { samples }: Compared): Symptom[] {
  if (fault.kind !== 'conflict') return []
  const touched = changes.filter(({ object }) => samples.has(object.kind) && object.metadata.annotations?.[TOUCHED] !== undefined)
  const rest = rests.find(({ step }) => step === fault.step)
  return [...new Set(touched.map(({ object }) => object.metadata.uid))].flatMap((uid): Symptom[] => {
    const now = rest?.objects.find(({ metadata }) => metadata.uid === uid)
    if (now === undefined || now.metadata.annotations?.[TOUCHED] !== undefined) return []
    return [{ harm: 'wrong', rule: OTHERS, text: `${keyOf(now)}: an annotation that somebody else has set is gone` }]
  })
}

const stateOf = (rest: RestState, compared: Compared) => comparableState(rest.objects, compared)

/**
 * What an operator that misses events still has to delete, as it usually does: it has seen what the user wanted, or another object of the
 * same name is there now. One that has seen nothing of a change may leave everything as it is.
 */
function mustGo({ recording: { steps, history }, compared }: JudgedWorkload, fault: PlannedFault): (change: ObjectChange) => boolean {
  if (fault.kind !== 'unobserved') return () => false
  const samples = history.changes.filter((c) => compared.samples.has(c.object.kind)).map((c) => resourceKey(c.ref))
  if (samples.includes(fault.resource) && !removes(steps[fault.step])) return () => false
  const deletions = new Set(history.calls.filter(({ verb, code = 0 }) => verb === 'delete' && code < 400).map((c) => targetKey(c.target)))
  return ({ ref, object: { metadata } }) => deletions.has(targetKey({ ...ref, ...metadata }))
}

const targetKey = ({ group, resource, namespace = '', name = '' }: Partial<Target>) => `${group}/${resource} ${namespace}/${name}`
