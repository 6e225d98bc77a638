/** Why a pod is on its node, or on none. */
export interface WhyPage {
  readonly summary: string
  readonly scheduler: string
  /** `''`: it has none. */
  readonly node: string
  readonly attempt: WhyAttempt | null
  readonly view: WhyView | null
  readonly changes: readonly WhyChange[]
  /** Changes that help together only. */
  readonly together: readonly WhyChange[]
  /** Null: it does not wait, or that is not known. */
  readonly queue: WhyQueue | null
  /** Changes can be tried on a fork. */
  readonly canTry: boolean
  /** Why this may be old. */
  readonly problem: string
}

export interface WhyAttempt {
  readonly timeMs: number
  readonly number: number
  readonly message: string
  /** The pods to be preempted. */
  readonly victims: readonly string[]
}

/** The nodes as the scheduler sees them. */
export interface WhyView {
  readonly nodes: number
  readonly fitting: number
  readonly unlisted: number
  /** The columns: plugins that reject some node, then those that give scores. */
  readonly plugins: readonly string[]
  readonly list: readonly WhyNode[]
  /** Extenders and plugins of other processes, which were not asked. */
  readonly notAsked: readonly string[]
}

export interface WhyNode {
  readonly name: string
  readonly fits: boolean
  readonly chosen: boolean
  readonly total: number | null
  /** One for each plugin. */
  readonly cells: readonly WhyCell[]
}

export interface WhyCell {
  readonly rejects: boolean
  /** Its reasons, or its score. */
  readonly text: string
}

export interface WhyChange {
  readonly message: string
  /** `''`: no single command makes it. */
  readonly command: string
  /** One request makes it. */
  readonly canBeMade: boolean
}

export interface WhyQueue {
  readonly queue: 'InFlight' | 'Active' | 'Backoff' | 'Unschedulable' | 'Gated'
  readonly attempts: number
  readonly sinceMs: number
  readonly untilMs: number
  readonly message: string
  readonly wokenBy: readonly string[]
}

/** What becomes of a pod on a fork where a change was made. */
export interface ChangeTrial {
  /** `''`: it is not made yet. */
  readonly fork: string
  readonly state: 'trying' | 'runs' | 'waits' | 'failed'
  readonly message: string
  readonly tookMs: number
}
