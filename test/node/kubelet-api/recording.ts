import type { JsonObject } from '../../../src/machinery/object.ts'

/** A frame of a WebSocket: a channel's bytes, text of a base64 protocol, or its end. */
export interface Frame {
  readonly channel?: number
  readonly data?: string
  readonly text?: string
  readonly close?: number
}

/** A row of the recording: a request with its response, or a kubectl command. */
export interface Row {
  readonly to?: 'kubelet' | 'apiserver'
  readonly method?: string
  readonly path?: string
  readonly sent?: Readonly<Record<string, string>>
  /** `nobody`, `token NAME`, `certificate NAME`; absent: a member of system:masters. */
  readonly as?: string
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | JsonObject
  readonly frames?: readonly Frame[]
  readonly 'frames sent'?: readonly { readonly opcode: number; readonly hex: string }[]
  readonly reviews?: readonly JsonObject[]

  readonly kubectl?: readonly string[]
  readonly stdin?: string
  readonly exit?: number
  readonly stdout?: string
  readonly stderr?: string

  readonly metrics?: Readonly<Record<string, { readonly type: string; readonly stability?: string; readonly labels: readonly string[] }>>
  readonly example?: readonly string[]
  readonly kind?: string
  readonly metadata?: JsonObject
  readonly names?: readonly string[]
  /** An item of a list: the name of its pod, or its status only. */
  readonly one?: JsonObject
  readonly rejected?: JsonObject
}

export interface Group {
  readonly story: string
  readonly note?: string
  readonly requests: readonly Row[]
}

/** The result of a row here. */
export interface Got {
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly frames?: readonly Frame[]
  readonly reviews: readonly JsonObject[]
}
