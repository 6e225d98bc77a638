import { type Signal, signal } from '@preact/signals'
import type { ConflictChoice } from '../../wire/draft-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { objectPath } from './route.ts'

/** What is typed in the editor of an object. */
export interface TypedText {
  /** What it began with. */
  readonly base: string
  readonly text: string
  readonly choices: readonly ConflictChoice[]
  /** Another value: the text was not typed, and the editor takes it over. */
  readonly version: number
}

const NOTHING: TypedText = { base: '', text: '', choices: [], version: 0 }
let lastVersion = 0

/** Kept until it is stored or discarded, wherever the user goes in this tab. */
const drafts = new Map<string, Signal<TypedText>>()

export const isTyped = ({ base, text }: TypedText): boolean => base !== text

export function draftOf(object: ObjectName): Signal<TypedText> {
  const path = objectPath(object)
  const kept = drafts.get(path)
  if (kept !== undefined) return kept
  const made = signal(NOTHING)
  drafts.set(path, made)
  return made
}

/** A text for the editor that was not typed there; what it is compared with is itself, unless another base is given. */
export const givenText = (text: string, base: string = text): TypedText => ({ base, text, choices: [], version: ++lastVersion })

/** The browser asks before it leaves a page with typed text. */
export function keepDrafts(): void {
  addEventListener('beforeunload', (event) => {
    if ([...drafts.values()].some((draft) => isTyped(draft.peek()))) event.preventDefault()
  })
}
