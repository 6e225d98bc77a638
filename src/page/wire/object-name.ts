/** A collection, as discovery names it; `''` is the core group. */
export interface CollectionName {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** An object; its namespace is `''` if it is the cluster's own. */
export interface ObjectName extends CollectionName {
  readonly namespace: string
  readonly name: string
}

/** How an object does: `bad` needs somebody, `busy` is on its way, `done` has ended as it should. */
export type Tone = '' | 'bad' | 'busy' | 'done'

/** An object and how it does, where no columns are shown. */
export interface ObjectSummary extends ObjectName {
  readonly kind: string
  readonly tone: Tone
  readonly health: string
}
