/** Why the node ends a whole pod before its containers have: `DeadlineExceeded`, `Evicted`, `Preempting`, … */
export interface PodTermination {
  readonly reason: string
  readonly message: string
  /** The pod's status gets this reason even if all containers ended well. */
  readonly final?: boolean
  /** A bound on the grace period, where it is less than the pod's own. */
  readonly graceSeconds?: number
  /** The pod's condition DisruptionTarget. */
  readonly disruption?: { readonly reason: string; readonly message: string }
  /** Nothing of the pod stays in the runtime, not even its logs. */
  readonly clears?: boolean
  /** Admission refused a pod that an agent before this one ran. */
  readonly rejected?: boolean
}
