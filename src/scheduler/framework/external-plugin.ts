import type { Node } from '../../resources/types/core.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Verdict } from './verdict.ts'

/** A plugin outside of this thread: an extender over HTTP, or an author's module in a worker. Each of its calls has a time limit. */
export interface ExternalPlugin {
  readonly name: string
  /** Its verdicts carry its own name, and its queueing hints apply. An extender has none: any event may make the pod schedulable. */
  readonly isPlugin?: true
  /** A pod in which no external plugin is interested never waits for one. */
  interestedIn(pod: PodInfo): boolean
  /** Which of the nodes may do. Rejects when the attempt is to fail; an extender that is `ignorable` returns all nodes instead. */
  readonly filter?: (pod: PodInfo, nodes: readonly OfferedNode[]) => Promise<ExternalVerdicts>
  /** What is added to the nodes' totals, weighted already. Never rejects: a failed score counts as 0. */
  readonly score?: (pod: PodInfo, nodes: readonly OfferedNode[]) => Promise<ExternalScores>
  /** Which victims may go, of those that preemption found: the same, fewer nodes, or other victims. */
  readonly victims?: (pod: PodInfo, candidates: readonly Candidate[]) => Promise<readonly Candidate[]>
  /** Binds the pod in place of the bind plugins; false leaves it to them. */
  readonly bind?: (pod: PodInfo, node: string) => Promise<boolean>
}

/** A node that passed all filters so far, as an external plugin sees it. */
export interface OfferedNode {
  readonly name: string
  readonly node: Readonly<Node>
  readonly pods: Iterable<PodInfo>
}

export interface ExternalVerdicts {
  readonly kept: ReadonlySet<string>
  /** By node, for those that were turned down with a reason; other names are counted, and nothing else. */
  readonly verdicts: ReadonlyMap<string, Verdict>
}

export interface ExternalScores {
  readonly byNode: ReadonlyMap<string, number>
  /** As the plugin gave them, for explanations. */
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

/** An external plugin failed, and the attempt with it. The message becomes that of the pod's condition. */
export class ExternalPluginError extends Error {
  override readonly name = 'ExternalPluginError'
  readonly plugin: string
  constructor(plugin: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.plugin = plugin
  }
}
