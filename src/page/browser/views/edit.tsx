import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ConflictChoice, DraftCheck, DraftPage, Saved } from '../../wire/draft-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { CodeArea } from '../parts/code-area.tsx'
import { Notice } from '../parts/notice.tsx'
import { callOnce, connectionState, readOnly } from '../state/connection.ts'
import { draftOf, givenText, isTyped, type TypedText } from '../state/drafts.ts'
import { bindKeys } from '../state/keyboard.ts'
import { useStream } from '../state/use-stream.ts'
import { DraftOutcome } from './draft-outcome.tsx'

/** The server is asked after a pause in typing, in milliseconds. */
const PAUSE_MS = 250
const NO_FAULTS: DraftCheck['faults'] = []

/** The object as text, and what would become of it: each pause in typing is a dry run. */
export function EditTab({ object }: { readonly object: ObjectName }) {
  return readOnly.value ? <Notice kind="info">This page is read-only.</Notice> : <Editor object={object} />
}

function Editor({ object }: { readonly object: ObjectName }) {
  const draft = draftOf(object)
  const asked = useSignal({ ...sentPart(draft.peek()), serial: 0 })
  const saved = useSignal<Saved | 'saving' | undefined>(undefined)
  const goTo = useSignal<{ readonly line: number } | undefined>(undefined)
  const message = useStream({ type: 'draft', draft: { ...object, ...asked.value } })
  useSignalEffect(() => {
    const typed = draft.value
    const ask = () => {
      asked.value = { ...sentPart(typed), serial: asked.peek().serial + 1 }
    }
    const timer = setTimeout(ask, isTyped(typed) ? PAUSE_MS : 0)
    return () => clearTimeout(timer)
  })
  useSignalEffect(() => {
    if (message.value?.type !== 'draft') return
    const { current } = message.value.page
    if (!isTyped(draft.peek()) && current !== draft.peek().base) draft.value = givenText(current)
  })
  const page = message.value?.type === 'draft' ? message.value.page : undefined
  const typed = draft.value
  const check = asked.value.text === typed.text && page?.check?.serial === asked.value.serial ? page.check : undefined
  const canSave = check !== undefined && isStorable(check) && connectionState.value === 'live' && saved.value !== 'saving'
  const save = async () => {
    if (!canSave) return
    saved.value = 'saving'
    const answer = await callOnce({ type: 'save', draft: { ...object, ...sentPart(typed), serial: 0 } })
    saved.value = answer?.type === 'saved' ? answer.saved : { outcome: 'unknown', message: 'the connection was lost', text: '' }
    if (saved.value.outcome === 'stored') draft.value = givenText(saved.value.text)
  }
  useLayoutEffect(() => bindKeys([{ keys: ['ctrl+s'], what: 'save', run: () => void save() }]))
  return (
    <div class="edit">
      <div class="edit-bar">
        <button type="button" class="primary" disabled={!canSave} onClick={() => void save()}>
          Save <kbd>Ctrl+S</kbd>
        </button>
        <button
          type="button"
          disabled={!isTyped(typed)}
          onClick={() => {
            draft.value = givenText(page?.current ?? typed.base)
          }}
        >
          Discard
        </button>
        <span role="status">{stateText(isTyped(typed), page, check)}</span>
      </div>
      <SavedNotice saved={saved.value} isTyped={isTyped(typed)} />
      {message.value?.type === 'error' || page?.deleted ? (
        <Notice kind="problem">The object is not there. What you typed is kept here until you leave the page.</Notice>
      ) : null}
      <div class="edit-parts">
        {typed.base === '' ? null : (
          <CodeArea
            text={typed.text}
            version={typed.version}
            faults={check?.faults ?? NO_FAULTS}
            goTo={goTo.value}
            onText={(text) => {
              if (text === draft.peek().text) return
              draft.value = { ...draft.peek(), text }
              saved.value = undefined
            }}
            onSave={() => void save()}
          />
        )}
        {check === undefined ? null : (
          <DraftOutcome
            check={check}
            onLine={(line) => {
              goTo.value = { line }
            }}
            onKeep={(choice) => {
              draft.value = { ...typed, choices: [...typed.choices.filter(({ id }) => id !== choice.id), choice] }
            }}
            onMerged={() => {
              draft.value = givenText(check.merged, page?.current ?? typed.base)
            }}
          />
        )}
      </div>
    </div>
  )
}

const sentPart = ({ base, text, choices }: TypedText) => ({ base, text, choices })

const isDecided = (conflict: { readonly keep: ConflictChoice['keep'] | '' }) => conflict.keep !== ''

const isStorable = ({ faults, conflicts, diff }: DraftCheck): boolean => faults.length === 0 && diff !== '' && conflicts.every(isDecided)

function stateText(typed: boolean, page: DraftPage | undefined, check: DraftCheck | undefined): string {
  if (!typed) return page === undefined ? '' : 'Nothing is changed.'
  if (page?.deleted) return ''
  if (check === undefined) return 'Checking …'
  const undecided = check.conflicts.filter((conflict) => !isDecided(conflict)).length
  if (undecided > 0) return `${undecided} to decide: somebody else has changed the same fields.`
  if (check.faults.length > 0) return `${check.faults.length} ${check.faults.length === 1 ? 'fault' : 'faults'}: it would be refused.`
  return check.diff === '' ? 'The server would store nothing new.' : 'Checked: it can be stored.'
}

function SavedNotice({ saved, isTyped: typed }: { readonly saved: Saved | 'saving' | undefined; readonly isTyped: boolean }) {
  if (saved === undefined) return null
  if (saved === 'saving') return <Notice kind="info">Storing …</Notice>
  switch (saved.outcome) {
    case 'stored':
      return typed ? null : <Notice kind="info">Stored.</Notice>
    case 'refused':
      return <Notice kind="problem">Not stored: {saved.message}</Notice>
    case 'unknown':
      return (
        <Notice kind="problem">
          It is not known whether this was stored: {saved.message}. It is not sent again by itself; look at the object first.
        </Notice>
      )
  }
}
