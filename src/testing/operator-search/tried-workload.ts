import type { KubeObject } from '../../machinery/object.ts'
import type { RestState, SearchHistory } from './history.ts'
import type { Compared } from './oracle/comparable-state.ts'
import { faultSymptoms } from './oracle/judge-fault.ts'
import { chanceOf, workloadSymptoms } from './oracle/judge-workload.ts'
import { type Symptom, symptomCause } from './oracle/symptom.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import type { Recording } from './run/record-workload.ts'
import { desiredAfter, sameDesire } from './work-step.ts'

/** How the operator's real timers are dealt with: left alone, shortened by touching the samples, or also waited for. */
export type Timing = 'at once' | 'nudged' | 'patient'

/** How more is found out about a workload. */
export interface WorkloadRuns {
  /** Runs it undisturbed once more. */
  readonly again: (timing: Timing) => Promise<Recording>
  /** The end state of a new cluster in which these objects alone were ever applied. */
  readonly fresh: (objects: readonly KubeObject[], timing: Timing) => Promise<RestState | undefined>
  /** How it is tried again when this went wrong, until the same is seen: chance alone would not do that twice. */
  readonly retries: (fault: PlannedFault | undefined, symptom: Symptom) => readonly Timing[]
  /** Called when none of the retries has shown it. */
  readonly passed: (fault: PlannedFault | undefined, symptom: Symptom) => void
}

/** What is wrong with a history, in which it was seen last. */
export interface JudgedHistory {
  readonly symptoms: readonly Symptom[]
  readonly history: SearchHistory
}

/** A workload that was recorded, and what is wrong with it. What chance decides is found out when something seems to be wrong. */
export class TriedWorkload {
  readonly recording: Recording
  readonly #compared: Compared
  readonly #runs: WorkloadRuns
  readonly #others = new Map<Timing, Promise<Recording>>()

  constructor(recording: Recording, compared: Compared, runs: WorkloadRuns) {
    this.recording = recording
    this.#compared = compared
    this.#runs = runs
  }

  /** What goes wrong without any fault, each time. */
  async symptoms(): Promise<JudgedHistory> {
    const seen = (recording: Recording, masked: ReadonlySet<string>, fresh: ReadonlyMap<number, RestState>): JudgedHistory => ({
      symptoms: workloadSymptoms({ recording, masked, fresh, compared: this.#compared }),
      history: recording.history,
    })
    const fresh = await this.#freshStates('at once')
    const first = seen(this.recording, new Set(), fresh)
    if (first.symptoms.length === 0) return first
    const masked = await this.#masked('at once')
    return this.#confirmed(undefined, seen(this.recording, masked, fresh), async (timing) =>
      seen(await this.#again(timing), masked, await this.#freshStates(timing)),
    )
  }

  /** What goes wrong with a fault, when it was tried and when it is tried again. */
  async faultSymptoms(
    fault: PlannedFault,
    tried: SearchHistory,
    attempt: (timing: Timing) => Promise<SearchHistory>,
  ): Promise<JudgedHistory> {
    const seen = (masked: ReadonlySet<string>, history: SearchHistory): JudgedHistory => ({
      symptoms: faultSymptoms({ recording: this.recording, masked, fresh: new Map(), compared: this.#compared }, fault, history),
      history,
    })
    const first = seen(new Set(), tried)
    if (first.symptoms.length === 0) return first
    return this.#confirmed(fault, seen(await this.#masked('at once'), tried), async (timing) =>
      seen(await this.#masked(timing), await attempt(timing)),
    )
  }

  /** Those symptoms that are seen again, and where. */
  async #confirmed(
    fault: PlannedFault | undefined,
    first: JudgedHistory,
    look: (timing: Timing) => Promise<JudgedHistory>,
  ): Promise<JudgedHistory> {
    const [worst] = first.symptoms
    if (worst === undefined) return first
    for (const timing of this.#runs.retries(fault, worst)) {
      const again = await look(timing)
      const symptoms = common(again.symptoms, first.symptoms)
      if (symptoms.length > 0) return { symptoms, history: again.history }
    }
    this.#runs.passed(fault, worst)
    return { symptoms: [], history: first.history }
  }

  /** What differs between undisturbed runs: by chance, and by how far the operator's timers have come. */
  async #masked(timing: Timing): Promise<ReadonlySet<string>> {
    const others = await Promise.all([...new Set<Timing>(['at once', timing])].map((each) => this.#again(each)))
    return new Set(others.flatMap((other) => [...chanceOf(this.recording, other, this.#compared)]))
  }

  #again(timing: Timing): Promise<Recording> {
    const known = this.#others.get(timing) ?? this.#runs.again(timing)
    this.#others.set(timing, known)
    return known
  }

  /** The states of new clusters, by step. After the first step the cluster is a new one itself. */
  async #freshStates(timing: Timing): Promise<ReadonlyMap<number, RestState>> {
    const { steps, history } = this.recording
    const desired = desiredAfter(steps)
    const first = desired[0] ?? new Map<string, KubeObject>()
    const states = new Map<number, RestState>()
    for (const [step, objects] of desired.entries()) {
      if (step === 0 || objects.size === 0 || steps[step]?.input === 'bad' || history.refusals.has(step)) continue
      const state = sameDesire(objects, first)
        ? history.rests.find((r) => r.step === 0)
        : await this.#runs.fresh([...objects.values()], timing)
      if (state !== undefined) states.set(step, state)
    }
    return states
  }
}

/** Those symptoms that the others have, too, whatever their exact values. */
const common = (symptoms: readonly Symptom[], others: readonly Symptom[]): Symptom[] => {
  const causes = new Set(others.map(symptomCause))
  return symptoms.filter((symptom) => causes.has(symptomCause(symptom)))
}
