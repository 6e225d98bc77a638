import type { PodInfo } from '../cache/pod-info.ts'
import type { Node } from '../objects.ts'
import type { Verdict } from './verdict.ts'

/** Somebody outside of this thread who has a say: an extender over HTTP, a plugin in a worker. Everything it does has a time limit of its own. */
export interface Guest {
  readonly name: string
  /** It answers under its plugin's name, whose hints hold; others may want a pod again after any event. */
  readonly isPlugin?: true
  /** A pod that no guest cares for never waits for one. */
  interestedIn(pod: PodInfo): boolean
  /** Which of the nodes may do. Rejects when the attempt is to fail; a guest that may be passed over gives all nodes back instead. */
  readonly filter?: (pod: PodInfo, nodes: readonly GuestNode[]) => Promise<GuestVerdicts>
  /** What is added to the nodes' totals, weighted already. Never rejects: a guest that cannot score is passed over. */
  readonly score?: (pod: PodInfo, nodes: readonly GuestNode[]) => Promise<GuestScores>
  /** Which victims may go, of those that preemption found: the same, fewer nodes, or other victims. */
  readonly victims?: (pod: PodInfo, candidates: readonly Candidate[]) => Promise<readonly Candidate[]>
  /** Binds the pod in place of the bind plugins; false leaves it to them after all. */
  readonly bind?: (pod: PodInfo, node: string) => Promise<boolean>
}

export interface GuestNode {
  readonly name: string
  readonly node: Readonly<Node>
  readonly pods: Iterable<PodInfo>
}

export interface GuestVerdicts {
  readonly kept: ReadonlySet<string>
  /** By node, for those that were turned down with a reason; other names are counted, and nothing else. */
  readonly verdicts: ReadonlyMap<string, Verdict>
}

export interface GuestScores {
  readonly byNode: ReadonlyMap<string, number>
  /** As the guest said them, for explanations. */
  readonly shown?: ReadonlyMap<string, number>
}

/** A node on which a pod would fit if some others left it. */
export interface Candidate {
  readonly node: string
  /** The most important first. */
  readonly victims: readonly PodInfo[]
  /** How many disruption budgets their leaving would break. */
  readonly violations: number
}

/** A guest failed, and the attempt with it. The message is what the pod's condition says. */
export class GuestError extends Error {
  override readonly name = 'GuestError'
  readonly guest: string
  constructor(guest: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.guest = guest
  }
}
