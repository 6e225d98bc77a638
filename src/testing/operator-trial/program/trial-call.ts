import type { PathTarget } from '../../../apiserver/request/request-info.ts'
import type { StatusError } from '../../../machinery/status-error.ts'
import { CHATTER, WRITES } from '../operator-calls.ts'

/** One request of the operator. */
export interface TrialCall {
  readonly id: number
  /** Milliseconds since the trial cluster was started. */
  readonly atMs: number
  /** Which run of the program sent it; the first is 1. */
  readonly life: number
  readonly verb: string
  readonly target: PathTarget | undefined
  readonly path: string
  readonly dryRun: boolean
  doneMs?: number
  code?: number
  /** Of a write that succeeded: whether it changed anything. */
  changed?: boolean
  /** What was done to it. */
  fault?: string
}

/** What happens to a call. */
export interface Meeting {
  readonly what: string
  readonly delayMs?: number
  /** What happens before. */
  readonly first?: () => Promise<void>
  /** The response in place of sending the call. */
  readonly refusal?: StatusError
  /** Called when the call was carried out; its response is discarded. */
  readonly lose?: () => void
}

/** What happens to watches. */
export interface WatchFaults {
  readonly delayMs?: number
  /** Each watch breaks after this long: in turn in its midst, and as if the server had ended it. */
  readonly cutAfterMs?: number
  /** Most watches of a collection that are cut; later ones are not. Default: all. */
  readonly mostCuts?: number
}

/** A world with more calls is a flood: the recorded calls must fit into memory. */
export const MOST_CALLS = 20_000

/** True if a call changes the cluster, in the sense of its author. */
export const isWrite = (call: TrialCall): boolean =>
  WRITES.has(call.verb) && call.target !== undefined && !CHATTER.has(call.target.resource) && !call.dryRun

/** Whether a call is about the operator itself. */
export const isChatter = (call: TrialCall): boolean => call.target === undefined || CHATTER.has(call.target.resource)
