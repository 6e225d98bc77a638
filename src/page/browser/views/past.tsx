import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { RowPage, WireRow } from '../../wire/row-page.ts'
import { Notice } from '../parts/notice.tsx'
import { ageOf } from '../state/age.ts'
import { isServed } from '../state/kinds.ts'
import { atRevision, goToRevision, isOfPast, TRAILS, type View, view } from '../state/route.ts'
import { WRITES } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'

/** Says that the past is shown, above every view. */
export function PastBar({ onChoose }: { onChoose(): void }) {
  const at = atRevision.value
  if (at === '') return null
  return (
    <p class="past" role="status">
      {showsPast(view.value) ? (
        <span>
          The cluster as it was at revision <b>{at}</b>.
        </span>
      ) : (
        <span>This view shows the present.</span>
      )}{' '}
      <button type="button" onClick={onChoose}>
        Another time
      </button>{' '}
      <button type="button" onClick={() => goToRevision('')}>
        Back to now
      </button>
    </p>
  )
}

function showsPast(shown: View): boolean {
  switch (shown.name) {
    case 'overview':
      return true
    case 'list':
      return shown.of.group !== TRAILS.group
    case 'object':
      return shown.object.group !== TRAILS.group && isOfPast(shown.tab)
    default:
      return false
  }
}

const REVISION = /^[1-9]\d{0,19}$/

/** Asks for the revision at which the cluster is shown. */
export function PastDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const revision = useSignal(atRevision.value)
  useEffect(() => dialog.current?.showModal(), [])
  const show = (at: string) => {
    onClose()
    goToRevision(at)
  }
  return (
    <dialog ref={dialog} class="past-dialog" aria-labelledby="past-title" onClose={onClose}>
      <h1 id="past-title">See the cluster as it was</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (REVISION.test(revision.value)) show(revision.value)
        }}
      >
        <input
          inputMode="numeric"
          aria-label="Revision"
          placeholder="resourceVersion"
          value={revision.value}
          onInput={({ currentTarget }) => {
            revision.value = currentTarget.value.trim()
          }}
        />{' '}
        <button type="submit" class="primary" disabled={!REVISION.test(revision.value)}>
          Show it
        </button>{' '}
        <button type="button" onClick={() => show('')}>
          Now
        </button>
      </form>
      {isServed(TRAILS) ? <LastWrites onChoose={show} /> : <p class="calm">Any resourceVersion that the server still keeps.</p>}
    </dialog>
  )
}

/** Of the columns of requests: what was done, to what, by whom, when, and the revision that it stored. */
const [VERB, TARGET, USER, AGE, REVISION_CELL] = [1, 2, 3, 6, 7]
const MOST_WRITES = 200
const LAST_WRITES = {
  ...TRAILS,
  namespace: '',
  labelSelector: '',
  fieldSelector: WRITES,
  filter: '',
  sort: AGE,
  descending: true,
  from: 0,
  count: MOST_WRITES,
}

function LastWrites({ onChoose }: { onChoose(at: string): void }) {
  const message = useStream({ type: 'rows', query: LAST_WRITES }).value
  if (message?.type === 'error') return <Notice kind="problem">{message.message}</Notice>
  if (message?.type !== 'rows') return null
  const stored = storedRows(message.page)
  return (
    <>
      <p class="calm">{stored.length === 0 ? 'No write is recorded yet.' : 'Just after one of the last writes:'}</p>
      <ul class="past-writes">
        {stored.map(([name, , , , cells]) => (
          <li key={name}>
            <button type="button" onClick={() => onChoose(String(cells[REVISION_CELL]))}>
              <span class="when">{ageOf(Number(cells[AGE]))}</span> <span class="calm">revision {String(cells[REVISION_CELL])}</span>{' '}
              <span>
                <b>{String(cells[VERB])}</b> {String(cells[TARGET])} <span class="calm">by {String(cells[USER])}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

const storedRows = ({ rows }: RowPage): readonly WireRow[] => rows.filter(([, , , , cells]) => Boolean(cells[REVISION_CELL]))
