import type { JsonObject } from '../../../src/machinery/object.ts'

/** The script of one start of a container. */
export interface RunScript {
  readonly exitAfterMs?: number
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  /** `stdout TEXT`, `stderr TEXT`. */
  readonly log?: readonly string[]
  readonly onTerm?: { readonly afterMs?: number; readonly code?: number; readonly ignore?: boolean }
  readonly createError?: string
  readonly startError?: string
  readonly stopError?: string
}

export interface ExecResult {
  readonly code?: number
  readonly stdout?: string
  readonly stderr?: string
  readonly delayMs?: number
  readonly error?: string
}

export interface Listener {
  readonly port: number
  readonly kind: 'http' | 'https' | 'tcp' | 'grpc'
  readonly answers?: readonly {
    readonly status?: number
    readonly body?: string
    readonly delayMs?: number
    readonly location?: string
    readonly error?: string
    readonly grpcCode?: string
  }[]
}

export interface ContainerScript {
  readonly runs?: readonly RunScript[]
  readonly exec?: readonly { readonly match: string; readonly answers: readonly ExecResult[] }[]
  readonly serve?: readonly Listener[]
  readonly updateError?: string
  readonly updateMs?: number
}

export interface ImageScript {
  readonly error?: string
  /** gRPC code, by number or name. */
  readonly code?: number | string
  readonly times?: number
  readonly delayMs?: number
  readonly uid?: number
  readonly username?: string
  readonly present?: boolean
  readonly inspectError?: string
}

export interface PodScript {
  readonly containers?: Readonly<Record<string, ContainerScript>>
  readonly sandbox?: { readonly error?: string; readonly times?: number }
}

export interface RuntimeScript {
  readonly pod?: PodScript
  readonly images?: Readonly<Record<string, ImageScript>>
}

export interface Step {
  readonly at: number
  readonly do: string
  readonly grace?: number
  readonly sub?: string
  readonly type?: string
  readonly patch?: JsonObject
  readonly object?: JsonObject
  readonly ns?: string
  readonly kind?: string
  readonly name?: string
  readonly container?: string
  readonly code?: number
  readonly sandbox?: boolean
  readonly set?: JsonObject
  readonly answer?: unknown
  readonly text?: string
  readonly file?: string
  readonly bytes?: number
}

export interface ReportedStatus {
  readonly at: number
  readonly event: string
  readonly generation?: number
  readonly deletionGracePeriodSeconds?: number
  readonly status: JsonObject
  readonly of?: string
}

export interface ReportedEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly fieldPath?: string
  readonly of?: string
  /** Played after the end of the story. */
  readonly late?: true
}

export interface Call {
  readonly call: string
  readonly container?: string
  readonly arg?: JsonObject
  readonly of?: string
  /** Played after the end of the story. */
  readonly late?: true
}

/** The conditions and taints of the node at one moment. */
export interface NodeRow {
  readonly conditions: readonly {
    readonly type: string
    readonly status: string
    readonly reason: string | undefined
    readonly message: string | undefined
  }[]
  readonly taints: readonly { readonly key: string; readonly effect: string }[]
}

export interface Story {
  readonly story: string
  readonly note?: string
  readonly pod?: { readonly metadata: JsonObject & { readonly name: string }; readonly spec: JsonObject }
  readonly objects?: readonly JsonObject[]
  readonly kubeletConfiguration?: JsonObject
  readonly runtime?: RuntimeScript
  readonly steps: readonly Step[]
  readonly seconds?: number
  readonly statuses?: readonly ReportedStatus[]
  readonly events: readonly ReportedEvent[]
  readonly calls?: readonly Call[]
  readonly node?: readonly NodeRow[]
}
