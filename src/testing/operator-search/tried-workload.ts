import type { KubeObject } from '../../machinery/object.ts'
import type { RestState, SearchHistory } from './history.ts'
import type { Compared } from './oracle/comparable-state.ts'
import { faultSymptoms } from './oracle/judge-fault.ts'
import { chanceOf, type JudgedWorkload, workloadSymptoms } from './oracle/judge-workload.ts'
import { type Symptom, symptomCause } from './oracle/symptom.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import type { Recording } from './run/record-workload.ts'
import { desiredAfter, sameDesire } from './work-step.ts'

/** How more is found out about a workload. `patient`: the operator's real timers are waited for. */
export interface WorkloadRuns {
  /** Runs it undisturbed once more. */
  readonly again: (patient: boolean) => Promise<Recording>
  /** The end state of a new cluster in which these objects alone were ever applied. */
  readonly fresh: (objects: readonly KubeObject[], patient: boolean) => Promise<RestState | undefined>
  /** Whether a symptom may vanish if one only waits. */
  readonly mayPass: (fault: PlannedFault | undefined, symptom: Symptom) => boolean
}

/** How often a fault is tried again when something went wrong: chance alone would not do that twice. */
const RETRIES = 2

/** A workload that was recorded, and what is wrong with it. What chance decides is found out when something seems to be wrong. */
export class TriedWorkload {
  readonly recording: Recording
  readonly #compared: Compared
  readonly #runs: WorkloadRuns
  #other: Promise<Recording> | undefined

  constructor(recording: Recording, compared: Compared, runs: WorkloadRuns) {
    this.recording = recording
    this.#compared = compared
    this.#runs = runs
  }

  /** What goes wrong without any fault, each time. */
  async symptoms(): Promise<Symptom[]> {
    const seen = (recording: Recording, masked: ReadonlySet<string>, fresh: ReadonlyMap<number, RestState>) =>
      workloadSymptoms({ recording, masked, fresh, compared: this.#compared })
    const fresh = await this.#freshStates(false)
    if (seen(this.recording, new Set(), fresh).length === 0) return []
    const masked = await this.#masked()
    const symptoms = common(seen(this.recording, masked, fresh), seen(await this.#again(), masked, fresh))
    if (symptoms[0] === undefined || !this.#runs.mayPass(undefined, symptoms[0])) return symptoms
    return common(symptoms, seen(await this.#runs.again(true), masked, await this.#freshStates(true)))
  }

  /** What goes wrong with a fault, when it was tried and when it is tried again. */
  async faultSymptoms(
    fault: PlannedFault,
    tried: SearchHistory,
    attempt: (patient: boolean) => Promise<SearchHistory>,
  ): Promise<Symptom[]> {
    const judged = (masked: ReadonlySet<string>): JudgedWorkload => ({
      recording: this.recording,
      masked,
      fresh: new Map(),
      compared: this.#compared,
    })
    if (faultSymptoms(judged(new Set()), fault, tried).length === 0) return []
    const workload = judged(await this.#masked())
    const symptoms = faultSymptoms(workload, fault, tried)
    const patient = symptoms[0] !== undefined && this.#runs.mayPass(fault, symptoms[0])
    for (let i = 0; i < RETRIES && symptoms.length > 0; i++) {
      const confirmed = common(symptoms, faultSymptoms(workload, fault, await attempt(patient)))
      if (confirmed.length > 0) return confirmed
    }
    return []
  }

  async #masked(): Promise<ReadonlySet<string>> {
    return chanceOf(this.recording, await this.#again(), this.#compared)
  }

  #again(): Promise<Recording> {
    this.#other ??= this.#runs.again(false)
    return this.#other
  }

  /** The states of new clusters, by step. After the first step the cluster is a new one itself. */
  async #freshStates(patient: boolean): Promise<ReadonlyMap<number, RestState>> {
    const { steps, history } = this.recording
    const desired = desiredAfter(steps)
    const first = desired[0] ?? new Map<string, KubeObject>()
    const states = new Map<number, RestState>()
    for (const [step, objects] of desired.entries()) {
      if (step === 0 || objects.size === 0 || steps[step]?.input === 'bad' || history.refusals.has(step)) continue
      const state = sameDesire(objects, first)
        ? history.rests.find((r) => r.step === 0)
        : await this.#runs.fresh([...objects.values()], patient)
      if (state !== undefined) states.set(step, state)
    }
    return states
  }
}

/** The symptoms that both have, whatever their exact values. */
const common = (symptoms: readonly Symptom[], others: readonly Symptom[]): Symptom[] => {
  const causes = new Set(others.map(symptomCause))
  return symptoms.filter((symptom) => causes.has(symptomCause(symptom)))
}
