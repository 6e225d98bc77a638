import type { ObjectName } from './object-name.ts'

/** Which side wins where the editor and somebody else changed the same field; `id` is the conflict's. */
export interface ConflictChoice {
  readonly id: string
  readonly keep: 'mine' | 'theirs'
}

/** What is typed in the editor of an object. */
export interface Draft extends ObjectName {
  /** The text that the editor began with. */
  readonly base: string
  readonly text: string
  readonly choices: readonly ConflictChoice[]
  /** Counts the browser's questions: an answer says which of them it answers. */
  readonly serial: number
}

/** What is wrong with a text, at a line from 1; 0: with all of it. */
export interface DraftFault {
  readonly line: number
  readonly message: string
}

/** A field that was typed, or changed by somebody else meanwhile. Values are JSON; `''`: it is not there. */
export interface DraftField {
  readonly path: string
  readonly value: string
  /** Who else owns the field, and may set it back. */
  readonly owners: readonly string[]
}

export interface DraftConflict extends DraftField {
  readonly id: string
  readonly theirs: string
  /** `''`: it is not chosen yet. */
  readonly keep: ConflictChoice['keep'] | ''
}

/** What would become of a draft: a dry run, merged with what others have changed since the editor was opened. */
export interface DraftCheck {
  readonly serial: number
  readonly faults: readonly DraftFault[]
  readonly fields: readonly DraftField[]
  readonly conflicts: readonly DraftConflict[]
  /** Fields that the server would set besides: defaults, webhooks, policies. */
  readonly added: readonly DraftField[]
  /** A unified diff of what is stored and what would be. */
  readonly diff: string
  /** The text with the others' changes; `''`: there are none. */
  readonly merged: string
}

export interface DraftPage {
  /** The object as it is now, as text to edit. */
  readonly current: string
  readonly deleted: boolean
  readonly problem: string
  /** Null: nothing is typed, or it is being checked. */
  readonly check: DraftCheck | null
}

/** What came of a write. */
export interface Saved {
  /** `unknown`: there was no answer, so it may have been stored. */
  readonly outcome: 'stored' | 'refused' | 'unknown'
  readonly message: string
  /** The object as it was stored, as text to edit. */
  readonly text: string
}
