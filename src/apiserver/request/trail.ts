import type { ValueChange } from '../../machinery/json/value-changes.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'

/** The parts of a request's path through the pipeline, each by its end. */
export const TRAIL_STAGES = ['authenticate', 'wait', 'authorize', 'handle', 'respond'] as const
export type TrailStageName = (typeof TRAIL_STAGES)[number]

/** A plugin at one time of a write. */
export interface PluginStep {
  readonly phase: 'mutate' | 'reinvoke' | 'validate'
  readonly plugin: string
}

/** What admission did, one plugin or webhook at a time. */
export interface RecordedStep extends PluginStep {
  readonly webhook?: string
  readonly policy?: string
  readonly binding?: string
  /** Of the policy's expressions, in CEL's units. */
  readonly cost?: number
  readonly outcome: 'passed' | 'refused' | 'failed'
  readonly message?: string
  readonly milliseconds: number
  readonly changes?: readonly ValueChange[]
  /** Changes beyond the bound. */
  readonly unlisted?: number
}

/** What a trail reads of its request on the way. */
export interface TrailedRequest {
  readonly sender: UserInfo | undefined
  readonly user: UserInfo
  readonly long: boolean
}

/** The trail of one request, as steps and handlers write it. */
export interface Trail {
  /** The key of the trail among all. */
  readonly name: string
  /** The request's audit id. */
  readonly id: string
  /** True while somebody reads trails: only then what costs more than a fact is recorded. */
  readonly detailed: boolean
  /** Milliseconds since the request arrived. */
  elapsedMs(): number
  /** The request has passed a stage of the pipeline. */
  passed(stage: TrailStageName, request: TrailedRequest): void
  /** The seat that it waits for. */
  seat(schema: string, priorityLevel: string): void
  /** An annotation of the audit log. */
  annotate(key: string, value: string): void
  step(step: RecordedStep): void
  /** A step that changed nothing, as most; `of` is shared by all requests. */
  passedStep(of: PluginStep, milliseconds: number): void
  /** The object that it stored. */
  stored(key: string, revision: number): void
  failed(error: unknown): void
  /** The response has ended; 0: the client left before. Only the first call counts. */
  complete(code: number): void
}
