import type { ObjectName } from './object-name.ts'

/** The next lines of a log; `from` is the number of the first. */
export interface LogsPage {
  readonly containers: readonly string[]
  readonly from: number
  readonly lines: readonly string[]
  readonly ended: boolean
  readonly problem: string
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** A terminal in a container of a pod. */
export interface TerminalQuery {
  readonly object: ObjectName
  /** `''`: the first. */
  readonly container: string
  /** A new shell, or the container's own process. */
  readonly command: 'shell' | 'attach'
  readonly size: TerminalSize
}

/** What a terminal shows next. */
export interface TerminalPage {
  readonly containers: readonly string[]
  readonly state: 'starting' | 'running' | 'ended'
  /** Without a terminal of its own, lines end as in a file. */
  readonly hasTty: boolean
  readonly takesInput: boolean
  /** Null: it has not ended, or that is not known. */
  readonly exitCode: number | null
  /** The next bytes, in base64. */
  readonly output: string
  readonly problem: string
}
