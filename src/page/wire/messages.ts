import type { Draft, DraftPage, Saved } from './draft-page.ts'
import type { BenchDraft, KindBench } from './kind-bench.ts'
import type { LabAction, LabDone, LabPage } from './lab-page.ts'
import type { MachinePage } from './machine-page.ts'
import type { ObjectName, ObjectSummary } from './object-name.ts'
import type { ObjectPage } from './object-page.ts'
import type { KindEntry, Overview, Relations } from './overview.ts'
import type { RowPage, RowsQuery } from './row-page.ts'
import type { LogsPage, TerminalPage, TerminalQuery, TerminalSize } from './streams.ts'
import type { ChangeTrial, WhyPage } from './why-page.ts'

/** What is read as it was at a revision of the store; absent: as it is now, and followed. */
interface AtRevision {
  readonly at?: string
}

/**
 * From the browser, as JSON text. `id` is the browser's: a subscription, and every message about it; a second message with an `id` in use
 * replaces the subscription.
 */
export type ClientMessage =
  | ({ readonly type: 'rows'; readonly id: number; readonly query: RowsQuery } & AtRevision)
  | ({ readonly type: 'object'; readonly id: number; readonly object: ObjectName } & AtRevision)
  | ({ readonly type: 'relations'; readonly id: number; readonly object: ObjectName } & AtRevision)
  | ({ readonly type: 'overview'; readonly id: number } & AtRevision)
  | ({ readonly type: 'find'; readonly id: number; readonly text: string } & AtRevision)
  | { readonly type: 'kinds'; readonly id: number }
  | { readonly type: 'why'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'machine'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'logs'; readonly id: number; readonly object: ObjectName; readonly container: string; readonly previous: boolean }
  | { readonly type: 'terminal'; readonly id: number; readonly query: TerminalQuery }
  /** What is typed into the terminal of this id. */
  | { readonly type: 'keys'; readonly id: number; readonly text: string }
  | { readonly type: 'resize'; readonly id: number; readonly size: TerminalSize }
  | { readonly type: 'bench'; readonly id: number; readonly draft: BenchDraft }
  /** `serial`: another one asks again. */
  | { readonly type: 'lab'; readonly id: number; readonly serial: number }
  | { readonly type: 'lab-call'; readonly id: number; readonly action: LabAction }
  /** A change that the scheduler proposes for a pod, in its words: on a fork, or on the cluster. */
  | { readonly type: 'try'; readonly id: number; readonly object: ObjectName; readonly change: string }
  | { readonly type: 'change'; readonly id: number; readonly object: ObjectName; readonly change: string }
  | { readonly type: 'draft'; readonly id: number; readonly draft: Draft }
  | { readonly type: 'save'; readonly id: number; readonly draft: Draft }
  | { readonly type: 'cancel'; readonly id: number }

/** The first message of a connection. */
export interface Hello {
  readonly type: 'hello'
  readonly cluster: string
  readonly server: string
  readonly nowMs: number
  readonly readOnly: boolean
  /** Whose view of the cluster it is; `''`: that of the page's own user. */
  readonly user: string
  /** The view of other users can be had. */
  readonly canViewAs: boolean
}

/** From the server. */
export type ServerMessage =
  | Hello
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'rows'; readonly id: number; readonly page: RowPage }
  | { readonly type: 'object'; readonly id: number; readonly page: ObjectPage }
  | { readonly type: 'relations'; readonly id: number; readonly relations: Relations }
  | { readonly type: 'kinds'; readonly id: number; readonly kinds: readonly KindEntry[] }
  | { readonly type: 'overview'; readonly id: number; readonly overview: Overview }
  | { readonly type: 'found'; readonly id: number; readonly objects: readonly ObjectSummary[]; readonly loading: boolean }
  | { readonly type: 'draft'; readonly id: number; readonly page: DraftPage }
  | { readonly type: 'saved'; readonly id: number; readonly saved: Saved }
  | { readonly type: 'why'; readonly id: number; readonly page: WhyPage }
  | { readonly type: 'machine'; readonly id: number; readonly page: MachinePage }
  | { readonly type: 'try'; readonly id: number; readonly trial: ChangeTrial }
  | { readonly type: 'bench'; readonly id: number; readonly bench: KindBench }
  | { readonly type: 'logs'; readonly id: number; readonly page: LogsPage }
  | { readonly type: 'terminal'; readonly id: number; readonly page: TerminalPage }
  | { readonly type: 'lab'; readonly id: number; readonly page: LabPage }
  | { readonly type: 'lab-done'; readonly id: number; readonly done: LabDone }
  | { readonly type: 'error'; readonly id: number; readonly message: string }
