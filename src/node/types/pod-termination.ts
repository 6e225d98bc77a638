/** Why the node terminates a whole pod: `DeadlineExceeded`, `Evicted`, `Preempting`, … */
export interface PodTermination {
  readonly reason: string
  readonly message: string
  /** The pod's status gets this reason even if all containers succeeded. */
  readonly final?: boolean
  /** An upper bound of the pod's grace period. */
  readonly graceSeconds?: number
  /** The pod's condition DisruptionTarget. */
  readonly disruption?: { readonly reason: string; readonly message: string }
  /** The runtime keeps nothing of the pod, not even its logs. */
  readonly clears?: boolean
  /** Admission refused a pod that ran under a previous agent. */
  readonly rejected?: boolean
}

/** A pod outlived its `activeDeadlineSeconds`. */
export const DEADLINE_EXCEEDED: PodTermination = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
  final: true,
}
