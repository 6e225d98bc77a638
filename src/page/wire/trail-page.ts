import type { ObjectName, Tone } from './object-name.ts'

/** A line of a request's way through the server. */
export interface TrailLine {
  readonly name: string
  readonly what: string
  readonly tone: Tone
  /** 1: a part of the line above it. */
  readonly depth: 0 | 1
  /** From the arrival of the request, in milliseconds; null where it was not measured. */
  readonly startMs: number | null
  readonly tookMs: number | null
  /** `spec.replicas: 2 → 3` */
  readonly changes: readonly string[]
}

/** Another request; `''`: it is no longer kept. */
export interface TrailLink {
  readonly request: string
  readonly controller: string
  readonly what: string
}

/** A request: who, what, and its way through the server. */
export interface TrailPage {
  readonly summary: string
  readonly user: string
  readonly userAgent: string
  readonly receivedMs: number
  /** 0: not answered yet. */
  readonly code: number
  readonly tone: Tone
  readonly message: string
  /** Null while it runs. */
  readonly tookMs: number | null
  readonly target: ObjectName | null
  /** `''`: it stored nothing. */
  readonly storedRevision: string
  /** It wrote while no client watched requests: what admission plugins did was not recorded. */
  readonly unrecorded: boolean
  readonly lines: readonly TrailLine[]
  /** The request whose change led to it, and who acted. */
  readonly cause: TrailLink | null
  /** What controllers wrote because of it. */
  readonly caused: readonly TrailLink[]
}
