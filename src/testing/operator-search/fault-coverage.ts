import { isBroken } from './history.ts'
import { planFaults } from './plan/plan-faults.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import type { Recording } from './run/record-workload.ts'

/** Which faults are tried in a workload. */
export interface WorkloadFaults {
  /** Faults of this kind alone; `none`: none. Default: all. */
  readonly only?: string
  /** Leave out those whose cause was tried in another workload. Default false. */
  readonly newCauses?: boolean
}

/** How much was tried. */
export interface PointCounts {
  found: number
  tried: number
  /** Of those not tried: they lead to a state that was tried. */
  sameState: number
  /** Of those not tried: the same was tried in another workload. */
  sameCause: number
  /** Of those not tried: the time was over. */
  outOfTime: number
}

/** Chooses which faults are tried, and counts them. */
export class FaultCoverage {
  readonly points: PointCounts = { found: 0, tried: 0, sameState: 0, sameCause: 0, outOfTime: 0 }
  readonly #causes = new Set<string>()

  /** Faults of a workload. */
  choose(recording: Recording, { only, newCauses = false }: WorkloadFaults): readonly PlannedFault[] {
    if (isBroken(recording.history)) return []
    const plan = planFaults(recording)
    const wanted = plan.faults.filter(({ kind }) => only === undefined || kind === only)
    this.points.found += plan.points - wanted.length
    this.points.sameState += plan.points - plan.faults.length
    return this.#count(wanted, newCauses ? this.#ofNewCause(wanted) : wanted)
  }

  /** Those whose cause is new, of faults that follow from one that was tried. */
  chooseFollowing(planned: readonly PlannedFault[]): readonly PlannedFault[] {
    return this.#count(planned, this.#ofNewCause(planned))
  }

  /** A chosen fault was not tried. */
  outOfTime(): void {
    this.points.tried--
    this.points.outOfTime++
  }

  #ofNewCause(planned: readonly PlannedFault[]): PlannedFault[] {
    return planned.filter(({ cause }) => !this.#causes.has(cause))
  }

  #count(planned: readonly PlannedFault[], chosen: readonly PlannedFault[]): readonly PlannedFault[] {
    for (const { cause } of chosen) this.#causes.add(cause)
    this.points.found += planned.length
    this.points.tried += chosen.length
    this.points.sameCause += planned.length - chosen.length
    return chosen
  }
}
