import { systemClock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Broken } from './broken.ts'
import { requestKillPoints, spread } from './kill-points.ts'
import type { OperatorProgram } from './program/operator-process.ts'
import { findReference, type Reference } from './reference.ts'
import { comparePermissions, type Permissions, permissionText, UsedPermissions } from './report/permissions.ts'
import { openTrialBase } from './trial-base.ts'
import { cleansUp, dryRunIsPure, endsWhenTold, mends, noHotLoop, noWriteForNothing, outlivesJump, quietRestart } from './trial-checks.ts'
import { FAULTS, killedAfter, killedAfterEach, sameEnd } from './trial-faults.ts'
import type { TrialScene, TrialSetup, TrialWorld } from './trial-world.ts'

/** An operator, and its test data. */
export interface OperatorTrial extends OperatorProgram {
  /**
   * What has to be there before it: definitions, namespaces, configuration, webhooks; not its Deployment. Services of webhooks become this
   * machine.
   */
  readonly install: readonly KubeObject[]
  /** The objects that it is to act on; at least one. */
  readonly samples: readonly KubeObject[]
  /** Its Roles and ClusterRoles, for the comparison with the permissions that it uses. Default: none. */
  readonly roles?: readonly KubeObject[]
  /** How long it may take for each thing, in milliseconds. Default 20,000. */
  readonly patienceMs?: number
  /**
   * An operator without writes for so long is idle, in milliseconds. Default 1,000; longer for an operator whose steps are seen to take
   * longer.
   */
  readonly quietMs?: number
  /** After how many of its writes it is killed; where it has more, they are spread. Default 10. */
  readonly killPoints?: number
  /** The port at which it serves its webhooks. Default 9443. */
  readonly webhookPort?: number
  /** The minor version of Kubernetes 1 that it was written for: versions that were removed since then are served. Default: 1.36 alone. */
  readonly age?: number
  /** Which rules are tried. The first always is, because the others depend on it. Default: all. */
  readonly only?: RegExp
  /** Called with each rule when it has been tried. */
  readonly onStep?: (step: OperatorTrialStep) => void
}

/** One rule. */
export interface OperatorTrialStep {
  /** What a good operator does, in one sentence. */
  readonly rule: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What was seen where it failed; why it was skipped; a remark. */
  readonly why?: string
  /** The events in the trial cluster in which it failed. */
  readonly scene?: TrialScene
  readonly tookMs: number
}

/** What came of a trial. */
export interface OperatorTrialReport {
  readonly command: string
  readonly steps: readonly OperatorTrialStep[]
  /** `A`: all passed. `B`: one thing failed, `C`: up to three, `D`: more. `F`: it does nothing for the samples, or never comes to rest. */
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'F'
  readonly permissions: Permissions
  /** What happened in the undisturbed world; undefined where there was none. */
  readonly undisturbed: TrialScene | undefined
}

/** What the parts of a trial share. */
interface Course {
  readonly setup: TrialSetup
  readonly steps: Steps
  readonly killPoints: number
}

/** The maximum of kill points of a run that reads much before it writes, and the time limit for all of them. */
const MOST_REQUEST_KILLS = 25
const FEWEST_REQUEST_KILLS = 4
const REQUEST_KILLS_MS = 15_000
/** An operator that takes longer than this for a step needs a larger `quietMs`. */
const MOST_LEARNED_QUIET_MS = 6000

/**
 * Runs an operator on clusters of its own and injects faults: ends between any two requests, late and broken watches, conflicts, a slow
 * API, deletions by hand, jumps of time, dry runs. Also tests whether it leaves correct objects alone. Its language does not matter.
 *
 * ```ts
 * const report = await testOperator({ command: ['./my-operator'], install: [gadget], samples: [gadget] })
 * console.log(report.grade)
 * ```
 */
export async function testOperator(trial: OperatorTrial): Promise<OperatorTrialReport> {
  const { patienceMs = 20_000, quietMs = 1000, killPoints = 10, install, samples, webhookPort = 9443, roles = [] } = trial
  if (samples.length === 0) throw new Error('no samples: name objects for the operator to reconcile (--sample FILE)')
  const used = new UsedPermissions()
  await using base = await openTrialBase({ install, webhookPort, inCluster: trial.inCluster, age: trial.age })
  const setup: TrialSetup = { program: trial, base, samples, patienceMs, quietMs, ended: (world) => used.add(world.proxy.calls) }
  const steps = new Steps(trial.only, trial.onStep)
  const { reference, undisturbed } = await tryUndisturbed({ setup, steps, killPoints })
  // An operator that is slow has not finished just because it is quiet for a second.
  const learnedMs = Math.min(MOST_LEARNED_QUIET_MS, 2 * (reference?.slowestStepMs ?? 0))
  await tryDisturbed({ setup: { ...setup, quietMs: Math.max(quietMs, learnedMs) }, steps, killPoints }, reference)
  const permissions = comparePermissions(used.all, roles)
  if (roles.length > 0)
    await steps.try('it uses no permission that it does not ask for', async () => {
      known(reference)
      if (permissions.missing.length > 0) throw new Error(permissions.missing.map(permissionText).join(', '))
    })
  return { command: trial.command.join(' '), steps: steps.all, grade: gradeOf(steps.all), permissions, undisturbed }
}

/** What is seen of an operator whose world works as it should. */
async function tryUndisturbed({
  setup,
  steps,
}: Course): Promise<{ reference: Reference | undefined; undisturbed: TrialScene | undefined }> {
  let reference: Reference | undefined
  let world: TrialWorld | undefined
  try {
    await steps.try('it does something for the samples, and comes to rest', async () => {
      ;({ world, reference } = await findReference(setup))
      return reference.remark
    })
    await steps.try('it asks for nothing while nothing happens', () => noHotLoop(known(world)))
    await steps.try('it writes nothing when nothing of its concern has changed', () => noWriteForNothing(known(world), setup))
    await steps.try('a dry run leads to no write', () => dryRunIsPure(known(world), setup))
    await steps.try('it ends when it is told to (SIGTERM)', () => endsWhenTold(known(world), setup.patienceMs))
    await steps.try('started again it writes nothing where nothing has changed', () => quietRestart(known(world)))
    await steps.try(MENDS, () => mends(known(world), setup, known(reference)))
    await steps.try('a jump of time by a day changes nothing of the result', () =>
      outlivesJump(known(world), setup, known(reference), !steps.failed(MENDS)),
    )
    await steps.try('a deleted sample goes, and what was made for it', () => cleansUp(known(world), setup, known(reference)))
    return { reference, undisturbed: world?.scene }
  } finally {
    await world?.[Symbol.asyncDispose]()
  }
}

const MENDS = 'what is deleted by hand comes back'

/** Tests the operator under faults: each in a new trial cluster. */
async function tryDisturbed({ setup, steps, killPoints }: Course, reference: Reference | undefined): Promise<void> {
  for (const after of spread(reference?.writes.length ?? 0, killPoints))
    await steps.try(`killed after its write number ${after}, it goes on where it was`, () => killedAfter(setup, known(reference), after))
  const affordable = Math.max(FEWEST_REQUEST_KILLS, Math.floor(REQUEST_KILLS_MS / Math.max(1, reference?.bootMs ?? 0)))
  const points = requestKillPoints(reference?.calls ?? [], Math.min(MOST_REQUEST_KILLS, affordable, 3 * killPoints))
  if (points.length > 0)
    await steps.try('killed after each of its requests, one run after the other, it goes on where it was', () =>
      killedAfterEach(setup, known(reference), points),
    )
  // An operator that does not repair even without faults was reported by an earlier rule.
  const mending = !steps.failed(MENDS)
  for (const [rule, faults] of Object.entries(FAULTS)) await steps.try(rule, () => sameEnd(setup, known(reference), faults, mending))
}

function gradeOf(steps: readonly OperatorTrialStep[]): OperatorTrialReport['grade'] {
  if (steps[0]?.outcome !== 'passed') return 'F'
  const failed = steps.filter((s) => s.outcome === 'failed').length
  return failed === 0 ? 'A' : failed === 1 ? 'B' : failed <= 3 ? 'C' : 'D'
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Skipped('the samples came to nothing')
  return value
}

class Skipped extends Error {}

class Steps {
  readonly all: OperatorTrialStep[] = []
  readonly #onStep: (step: OperatorTrialStep) => void

  readonly #only: RegExp | undefined

  constructor(only: RegExp | undefined, onStep: (step: OperatorTrialStep) => void = () => {}) {
    this.#only = only
    this.#onStep = onStep
  }

  failed(rule: string): boolean {
    return this.all.some((s) => s.rule === rule && s.outcome === 'failed')
  }

  /** Tries a rule; `work` may resolve with a remark. */
  async try(rule: string, work: () => Promise<unknown>): Promise<void> {
    if (this.all.length > 0 && this.#only?.test(rule) === false) return
    const beganMs = systemClock.monotonic()
    let step: Omit<OperatorTrialStep, 'rule' | 'tookMs'>
    try {
      const why = await work()
      step = { outcome: 'passed', ...(typeof why === 'string' && { why }) }
    } catch (error) {
      const why = messageOf(error)
      const scene = error instanceof Broken ? { scene: error.world.scene } : {}
      step = { outcome: error instanceof Skipped ? 'skipped' : 'failed', why, ...scene }
    }
    const done = { rule, ...step, tookMs: Math.round(systemClock.monotonic() - beganMs) }
    this.all.push(done)
    this.#onStep(done)
  }
}
