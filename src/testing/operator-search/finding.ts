import { HARMS, type Harm, type Symptom, symptomCause } from './oracle/symptom.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import type { GuiltyMoment } from './report/guilty-moment.ts'
import type { WorkStep } from './work-step.ts'

/** A fault of the operator, and the shortest history that shows it. */
export interface Finding {
  readonly harm: Harm
  /** Worst first. */
  readonly symptoms: readonly Symptom[]
  readonly steps: readonly WorkStep[]
  /** What was done to the operator; undefined: nothing but the steps. */
  readonly fault: Pick<PlannedFault, 'kind' | 'what'> | undefined
  /** How many more histories show the same. */
  readonly alsoSeen: number
  /** The write with which it went wrong, and what the operator had read then; undefined: it went wrong by not writing. */
  readonly guilty: GuiltyMoment | undefined
  /** What happened, one line each, with the seconds since the beginning. */
  readonly timeline: readonly string[]
}

/** A history that went wrong. */
export interface FailedHistory {
  readonly symptoms: readonly [Symptom, ...Symptom[]]
  readonly steps: readonly WorkStep[]
  readonly fault: PlannedFault | undefined
  readonly guilty: GuiltyMoment | undefined
  readonly timeline: readonly string[]
}

/** Faults that end a reconciliation in the middle. */
const INTERRUPTIONS: ReadonlySet<string> = new Set<PlannedFault['kind']>(['crash', 'conflict', 'error'])

/** Histories of one cause have the same worst symptom, and faults of the same kind, as far as that makes a difference. */
export function causeOf({ fault, symptoms }: Pick<FailedHistory, 'fault' | 'symptoms'>): string {
  const kind = fault?.kind ?? ''
  return `${INTERRUPTIONS.has(kind) ? 'interruption' : kind} ${symptomCause(symptoms[0])}`
}

/** Failed histories by cause: of each the first one counts. */
export class Findings {
  readonly #byCause = new Map<string, { first: FailedHistory; count: number }>()

  /** Whether a history of this cause was found. */
  has(cause: string): boolean {
    return this.#byCause.has(cause)
  }

  /** Returns whether the cause is new. */
  add(history: FailedHistory): boolean {
    const cause = causeOf(history)
    const known = this.#byCause.get(cause)
    if (known === undefined) this.#byCause.set(cause, { first: history, count: 0 })
    else known.count++
    return known === undefined
  }

  /** Replaces each history by a shorter one of the same cause. */
  async shrink(shorter: (history: FailedHistory) => Promise<FailedHistory>): Promise<void> {
    for (const known of this.#byCause.values()) known.first = await shorter(known.first)
  }

  /** Worst first. */
  get all(): Finding[] {
    return [...this.#byCause.values()]
      .map(({ first: { symptoms, steps, fault, guilty, timeline }, count }) => ({
        harm: symptoms[0].harm,
        symptoms,
        steps,
        fault: fault && { kind: fault.kind, what: fault.what },
        alsoSeen: count,
        guilty,
        timeline,
      }))
      .sort((a, b) => HARMS.indexOf(a.harm) - HARMS.indexOf(b.harm))
  }
}
