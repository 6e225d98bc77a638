import { FaultCoverage, type WorkloadFaults } from './fault-coverage.ts'
import { causeOf, type FailedHistory, Findings } from './finding.ts'
import type { SearchHistory } from './history.ts'
import { type Invariant, invariantSymptoms } from './oracle/never.ts'
import type { Symptom } from './oracle/symptom.ts'
import { planFaults } from './plan/plan-faults.ts'
import { planFollowing } from './plan/plan-following.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import { guiltyMoment, guiltyWrite } from './report/guilty-moment.ts'
import { timelineText } from './report/timeline-text.ts'
import { inOrder } from './run/in-order.ts'
import type { TriedFault } from './run/try-fault.ts'
import { shrink } from './shrink.ts'
import { type JudgedHistory, type Timing, TriedWorkload } from './tried-workload.ts'
import type { WorkStep } from './work-step.ts'
import type { WorkloadRunner } from './workload-runner.ts'

export interface FaultSearchDeps {
  readonly runner: WorkloadRunner
  readonly invariants: readonly Invariant[]
  readonly onFinding: (symptom: Symptom) => void
}

/** Tries workloads with and without faults, and collects what goes wrong. */
export class FaultSearch {
  readonly coverage = new FaultCoverage()
  readonly findings = new Findings()
  workloads = 0
  readonly #deps: FaultSearchDeps
  /** Causes of what an operator has repaired by itself. */
  readonly #passing = new Set<string>()

  constructor(deps: FaultSearchDeps) {
    this.#deps = deps
  }

  /** Tries a workload undisturbed, and with faults. Resolves with what happened without any. */
  async tryWorkload(steps: readonly WorkStep[], faults: WorkloadFaults = {}): Promise<SearchHistory> {
    this.workloads++
    const workload = await this.#workload(steps)
    const chosen = this.coverage.choose(workload.recording, faults)
    for await (const failed of this.#failures(workload, chosen, (planned) => this.coverage.chooseFollowing(planned))) this.add(failed)
    return workload.recording.history
  }

  add(failed: FailedHistory): void {
    if (this.findings.add(failed)) this.#deps.onFinding(failed.symptoms[0])
  }

  /** Shortens the history of each finding. */
  shrink(): Promise<void> {
    return this.findings.shrink((failed) =>
      failed.steps.length > 1 && !this.#deps.runner.isOver ? shrink(failed, (...again) => this.#retry(...again)) : Promise.resolve(failed),
    )
  }

  async *#retry(steps: readonly WorkStep[], kind: string | undefined): AsyncGenerator<FailedHistory> {
    const workload = await this.#workload(steps)
    const faults = kind === undefined ? [] : planFaults(workload.recording).faults.filter((f) => f.kind === kind)
    yield* this.#failures(workload, faults, (planned) => planned)
  }

  async #workload(steps: readonly WorkStep[]): Promise<TriedWorkload> {
    const { runner } = this.#deps
    return new TriedWorkload(await runner.record(steps), runner.compared, {
      again: (timing) => runner.run(steps, timing),
      fresh: (objects, timing) => runner.freshEnd(objects, timing),
      retries: (fault, symptom) => this.#retries(causeOf({ fault, symptoms: [symptom] })),
      passed: (fault, symptom) => this.#passing.add(causeOf({ fault, symptoms: [symptom] })),
    })
  }

  /**
   * What goes wrong in a workload, undisturbed and with each of these faults; twice, or it does not count. `following`: which of
   * those are tried that follow from one.
   */
  async *#failures(
    workload: TriedWorkload,
    faults: readonly PlannedFault[],
    following: (planned: readonly PlannedFault[]) => readonly PlannedFault[],
  ): AsyncGenerator<FailedHistory> {
    const { runner } = this.#deps
    const { history: usual } = workload.recording
    const { symptoms, history } = await workload.symptoms()
    yield* failed([...this.#breaches(history), ...symptoms], { workload, history })
    const tries = inOrder(faults, {
      work: (fault) => this.#symptomsWith(workload, fault),
      atATime: () => runner.atATime,
      following: (fault, result) => (result === undefined ? [] : following(planFollowing(fault, result, usual))),
    })
    for await (const [fault, result] of tries)
      if (result === undefined) this.coverage.outOfTime()
      else yield* failed(result.symptoms, { workload, history: result.history, fault })
  }

  /** Undefined: the time was over before it could be judged. */
  async #symptomsWith(workload: TriedWorkload, fault: PlannedFault): Promise<(JudgedHistory & { readonly tried: TriedFault }) | undefined> {
    const { runner } = this.#deps
    if (runner.isOver) return undefined
    const attempt = (timing: Timing) => runner.tryFault(fault, workload.recording.steps, timing)
    const tried = await attempt('at once')
    if (runner.isOver) return undefined
    const { symptoms, history } = await workload.faultSymptoms(fault, tried.history, async (timing) => (await attempt(timing)).history)
    return { symptoms: [...this.#breaches(history), ...symptoms], history, tried }
  }

  #breaches({ changes }: SearchHistory): Symptom[] {
    return invariantSymptoms(this.#deps.invariants, changes)
  }

  /** A program's own timers may repair something: for each cause they are waited for once. */
  #retries(cause: string): readonly Timing[] {
    const { runner } = this.#deps
    if (runner.isOver) return []
    if (!runner.hasRealTimers || this.findings.has(cause)) return ['at once', 'at once']
    return this.#passing.has(cause) ? [] : ['patient']
  }
}

interface FailedRun {
  readonly workload: TriedWorkload
  readonly history: SearchHistory
  readonly fault?: PlannedFault
}

function* failed([worst, ...others]: readonly Symptom[], { workload, history, fault }: FailedRun): Generator<FailedHistory> {
  if (worst === undefined) return
  const { steps, history: usual } = workload.recording
  const changes = [...(fault === undefined ? [] : usual.changes.slice(0, fault.at.changes)), ...history.changes]
  const write = guiltyWrite(worst, history.calls, changes)
  const guilty = write && guiltyMoment(write, changes)
  yield { symptoms: [worst, ...others], steps, fault, timeline: timelineText(history, write), guilty }
}
