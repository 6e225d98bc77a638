import { systemClock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { OperatorProgram } from './operator-process.ts'
import { comparePermissions, type Permissions, usedPermissions } from './permissions.ts'
import {
  Broken,
  cleansUp,
  dryRunIsPure,
  endsWhenTold,
  findReference,
  killedAfter,
  mends,
  noHotLoop,
  noWriteForNothing,
  outlivesJump,
  quietRestart,
  type Reference,
  sameEnd,
} from './trial-checks.ts'
import { isWrite, type Meeting, type TrialCall } from './trial-proxy.ts'
import type { TrialSetup, TrialWorld } from './trial-world.ts'

/** An operator, and what it is tried with. */
export interface OperatorTrial extends OperatorProgram {
  /** What has to be there before it: definitions, namespaces, configuration; not its Deployment. */
  readonly install: readonly KubeObject[]
  /** The objects that it is to act on; at least one. */
  readonly samples: readonly KubeObject[]
  /** Its Roles and ClusterRoles, to be compared with what it uses. Default: none. */
  readonly roles?: readonly KubeObject[]
  /** How long it may take for each thing, in milliseconds. Default 20,000. */
  readonly patienceMs?: number
  /** Who has written nothing for so long has finished, in milliseconds. Default 1,000. */
  readonly quietMs?: number
  /** After how many of its writes it is killed; where it has more, they are spread. Default 10. */
  readonly killPoints?: number
  /** Which rules are tried; the first always is, the others stand on it. Default: all. */
  readonly only?: RegExp
  /** Told of each rule when it has been tried. */
  readonly onStep?: (step: OperatorTrialStep) => void
}

/** One rule. */
export interface OperatorTrialStep {
  /** What a good operator does, in one sentence. */
  readonly rule: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What was seen where it failed; why it was skipped. */
  readonly why?: string
  readonly tookMs: number
}

/** What came of a trial. */
export interface OperatorTrialReport {
  readonly command: string
  readonly steps: readonly OperatorTrialStep[]
  /** `A`: all passed. `B`: one thing failed, `C`: up to three, `D`: more. `F`: it does nothing for the samples, or never comes to rest. */
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'F'
  readonly permissions: Permissions
  /** The requests of the undisturbed world, for the timeline. */
  readonly calls: readonly TrialCall[]
}

/**
 * Runs an operator on clusters of its own and tries what happens to operators: ends between any two requests, late and broken watches, conflicts, a slow
 * API, hands that delete, jumps of time, dry runs; and whether it leaves alone what is as it should be. Its language does not matter.
 *
 * ```ts
 * const report = await testOperator({ command: ['./my-operator'], install: [gadget], samples: [gadget] })
 * console.log(report.grade)
 * ```
 */
export async function testOperator(trial: OperatorTrial): Promise<OperatorTrialReport> {
  const { patienceMs = 20_000, quietMs = 1000, killPoints = 10, install, samples } = trial
  if (samples.length === 0) throw new Error('an operator needs a sample to act on')
  const setup: TrialSetup = { program: trial, install, samples, patienceMs, quietMs }
  const steps = new Steps(trial.only, trial.onStep)
  let reference: Reference | undefined
  let first: TrialWorld | undefined
  let calls: readonly TrialCall[] = []
  const used: TrialCall[] = []
  try {
    await steps.try('it does something for the samples, and comes to rest', async () => {
      const found = await findReference(setup)
      first = found.world
      reference = found.reference
    })
    await steps.try('it asks for nothing while nothing happens', () => noHotLoop(known(first)))
    await steps.try('it writes nothing when nothing of its concern has changed', () => noWriteForNothing(known(first), setup))
    await steps.try('a dry run leads to no write', () => dryRunIsPure(known(first), setup))
    await steps.try('it ends when it is told to (SIGTERM)', () => endsWhenTold(known(first)))
    await steps.try('started again it writes nothing where nothing has changed', () => quietRestart(known(first)))
    await steps.try('what is deleted by hand comes back', () => mends(known(first), known(reference)))
    await steps.try('a jump of time by a day changes nothing of the result', () => outlivesJump(known(first), known(reference)))
    await steps.try('a deleted sample goes, and what was made for it', () => cleansUp(known(first), setup, known(reference)))
    calls = first?.proxy.calls ?? []
    used.push(...calls)
  } finally {
    await first?.[Symbol.asyncDispose]()
  }
  for (const after of spread(reference?.writes.length ?? 0, killPoints))
    await steps.try(`killed after its write number ${after}, it goes on where it was`, () => killedAfter(setup, known(reference), after))
  for (const [rule, faults] of Object.entries(FAULTS)) await steps.try(rule, () => sameEnd(setup, known(reference), faults))
  const permissions = comparePermissions(usedPermissions(used), trial.roles ?? [])
  if ((trial.roles ?? []).length > 0)
    await steps.try('it uses no permission that it does not ask for', async () => {
      if (permissions.missing.length === 0) return
      throw new Broken(permissions.missing.map((p) => `${p.verb} ${p.resource}${p.group === '' ? '' : `.${p.group}`}`).join(', '))
    })
  return { command: trial.command.join(' '), steps: steps.all, grade: gradeOf(steps.all), permissions, calls }
}

type Faults = Parameters<typeof sameEnd>[2]

const conflict = {
  code: 409,
  reason: 'Conflict',
  message: 'the object has been modified; please apply your changes to the latest version (a fault of the trial)',
}

/** What happens to every request, or watch, of a world. */
const FAULTS: Readonly<Record<string, Faults>> = {
  'watch events that come late change nothing of the result': { watches: { delayMs: 400 } },
  'watches that break all the time change nothing of the result': { watches: { cutEveryMs: 300 } },
  'the first write to each object meets a conflict, and is tried again': {
    meet: () => once(() => ({ what: 'conflict', refusal: conflict })),
  },
  'an API server that is slow changes nothing of the result': { meet: () => () => ({ what: 'slow', delayMs: 150 }) },
  'an API server that fails now and then changes nothing of the result': {
    meet: () => everyThird({ what: 'failure', refusal: { code: 500, reason: 'InternalError', message: 'a fault of the trial' } }),
  },
}

/** What happens to the first update or patch of each path. */
function once(meeting: () => Meeting): (call: TrialCall) => Meeting | undefined {
  const met = new Set<string>()
  return (call) => {
    if (!isWrite(call) || !['update', 'patch'].includes(call.verb) || met.has(call.path)) return undefined
    met.add(call.path)
    return meeting()
  }
}

function everyThird(meeting: Meeting): (call: TrialCall) => Meeting | undefined {
  let writes = 0
  return (call) => (isWrite(call) && ++writes % 3 === 1 ? meeting : undefined)
}

/** All numbers up to `count`, or so many of them, spread evenly, the first and the last among them. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i + 1)
  if (most <= 1) return most === 1 ? [1] : []
  return [...new Set(Array.from({ length: most }, (_, i) => 1 + Math.round((i * (count - 1)) / (most - 1))))]
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

  async try(rule: string, work: () => Promise<void>): Promise<void> {
    if (this.all.length > 0 && this.#only?.test(rule) === false) return
    const beganMs = systemClock.monotonic()
    let step: Omit<OperatorTrialStep, 'tookMs'> = { rule, outcome: 'passed' }
    try {
      await work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      step = { rule, outcome: error instanceof Skipped ? 'skipped' : 'failed', why }
    }
    const done = { ...step, tookMs: Math.round(systemClock.monotonic() - beganMs) }
    this.all.push(done)
    this.#onStep(done)
  }
}
