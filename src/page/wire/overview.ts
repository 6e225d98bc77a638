import type { CollectionName, ObjectName, ObjectSummary } from './object-name.ts'
import type { ObjectEvent } from './object-page.ts'

export interface KindEntry extends CollectionName {
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
}

/** How many objects a kind has, and how many of them are not well. */
export interface KindCount extends KindEntry {
  readonly count: number
  readonly bad: number
}

export interface ObjectChange extends ObjectSummary {
  readonly change: 'created' | 'changed' | 'deleted'
  readonly timeMs: number
}

export interface ClusterWarning extends ObjectEvent {
  readonly about: ObjectName
  readonly kind: string
}

export interface Overview {
  /** Collections that are not read yet. */
  readonly loading: number
  readonly counts: readonly KindCount[]
  readonly unhappy: readonly ObjectSummary[]
  /** Unhappy ones beyond the bound. */
  readonly moreUnhappy: number
  /** The latest first. */
  readonly changes: readonly ObjectChange[]
  readonly warnings: readonly ClusterWarning[]
  /** Collections that cannot be read, and why. */
  readonly problems: readonly string[]
}

/** An object in the tree of owners; the one that the tree is for has `self`. */
export interface RelatedObject extends ObjectSummary {
  readonly depth: number
  readonly self: boolean
}

export interface Relations {
  readonly loading: boolean
  readonly tree: readonly RelatedObject[]
  readonly unsent: number
}
