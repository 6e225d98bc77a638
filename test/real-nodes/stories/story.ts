import type { JsonObject } from '../../../src/machinery/object.ts'

/** A recording of `real-node/cri`: what was done to a real node, and what its kubelet did. */
export interface Story {
  readonly story: string
  readonly objects: readonly StoryObject[]
  /** Commands that prepare the node. */
  readonly before?: readonly string[]
  readonly steps: readonly StoryStep[]
  readonly calls: readonly StoryCall[]
  /** `of`: the pod, where there are several. */
  readonly statuses: readonly { readonly of?: string; readonly at: number; readonly event: string; readonly status: JsonObject }[]
  readonly events: readonly StoryEvent[]
  readonly facts: readonly StoryFact[]
}

export interface StoryObject {
  readonly apiVersion?: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: JsonObject
}

export interface StoryStep {
  /** Seconds after the story began. */
  readonly at: number
  readonly do: string
  readonly [detail: string]: unknown
}

export interface StoryCall {
  readonly at: number
  readonly call: string
  readonly request: JsonObject
  readonly error?: { readonly code: string; readonly message: string }
  /** The same again so often. */
  readonly times?: number
}

export interface StoryEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly fieldPath?: string
}

export interface StoryFact {
  readonly at: number
  readonly what?: string
  readonly kubectl?: readonly string[]
  readonly stdin?: string
  /** Files of control groups, by whose they are. */
  readonly groups?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Of `kubectl port-forward`. */
  readonly port?: number
  readonly path?: string
  readonly body?: string
  readonly container?: string
  readonly on?: string
  readonly command?: string
  readonly stdout?: string
  readonly stderr?: string
  readonly code?: number
}

/** What came of playing one, in the same form. */
export type Played = Pick<Story, 'calls' | 'statuses' | 'events' | 'facts'>
