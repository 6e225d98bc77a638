import type { VirtualClock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import type { TrialBase } from '../../operator-trial/trial-base.ts'
import type { SeamRules } from './operator-seam.ts'

/** Where a run of the operator is started, and what is done to its calls. */
export interface RunDeps {
  readonly cluster: Cluster
  readonly clock: VirtualClock
  readonly random: Random
  readonly rules: SeamRules
  /** What its webhooks, and the proxy before it, are served with. */
  readonly home: Pick<TrialBase, 'certificate' | 'certs'>
  /** Whether pods have answers for it. */
  readonly answers: boolean
}

/** A run of the operator. */
export interface OperatorRun {
  /** Resolves with how it ended by itself; never, if it was killed. */
  readonly died: Promise<string>
  /** Whether it ended only because another run was under way; `how`: as `died` reported. Absent: runs do not disturb each other. */
  wasDisturbed?(how: string): boolean
  /** How long it takes until all its timers have fired that are due within this time. Absent: its timers are real. */
  dueWithin?(spanMs: number): number
  /** Waits so long for what its own timers may still do. Resolves with whether it has written. Absent: it has no real timers. */
  linger?(patienceMs: number): Promise<boolean>
  /** Resolves when it has gone. The rules' signal has been aborted before. */
  gone(): Promise<void>
}

/** Runs an operator, in this process or in one of its own. */
export interface OperatorHost {
  /** How many runs of it may be under way at a time, each in a cluster of its own. */
  readonly atATime: number
  start(deps: RunDeps): OperatorRun
  /** Lets virtual time pass while the operator works. */
  pass(clock: VirtualClock, spanMs: number): Promise<void>
}
