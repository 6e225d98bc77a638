import type { JsonObject } from '../../src/machinery/object.ts'

/** One request of a case, in the format of `test/recordings/replay.mjs`; its header explains the members. */
export interface Step {
  readonly do: 'GET' | 'POLL' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'SLEEP' | 'WATCH'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whom the request impersonates. */
  readonly as?: string | { readonly user: string; readonly groups?: readonly string[] }
  readonly body?: unknown
  readonly text?: string
  readonly during?: readonly Step[]
  readonly waitMs?: number
  /** How long a `SLEEP` takes. */
  readonly ms?: number
  /** What a `POLL` waits for: a response of this code, or a value in its body. */
  readonly until?: { readonly code: number } | { readonly path: string; readonly value: string }
  /** Its answer is not compared. */
  readonly quiet?: boolean
  /** What later steps mean by a word in braces: pointers into the answer. */
  readonly save?: Readonly<Record<string, string>>
  readonly expect?: JsonObject
}

/** Requests that are sent in order, in a namespace of their own (`{ns}`). */
export interface Case {
  readonly id: string
  readonly steps: readonly Step[]
  /** Paths of the objects outside of the namespace, deleted at the end. */
  readonly cleanup?: readonly string[]
}
