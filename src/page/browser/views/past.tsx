import { useSignal } from '@preact/signals'
import type { RowPage, WireRow } from '../../wire/row-page.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { ageOf } from '../state/age.ts'
import { isServed } from '../state/kinds.ts'
import { atRevision, goToRevision, type View, view } from '../state/route.ts'
import { isOfPast } from '../state/tabs.ts'
import { lastWrites, TRAIL_CELLS, TRAILS } from '../state/trails.ts'
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
  const revision = useSignal(atRevision.value)
  const show = (at: string) => {
    onClose()
    goToRevision(at)
  }
  return (
    <Dialog title="See the cluster as it was" onClose={onClose}>
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
    </Dialog>
  )
}

const MOST_WRITES = 200

function LastWrites({ onChoose }: { onChoose(at: string): void }) {
  const message = useStream({ type: 'rows', query: lastWrites(MOST_WRITES) }).value
  if (message?.type === 'error') return <Notice kind="problem">{message.message}</Notice>
  if (message?.type !== 'rows') return null
  const stored = storedRows(message.page)
  return (
    <>
      <p class="calm">{stored.length === 0 ? 'No write is recorded yet.' : 'Just after one of the last writes:'}</p>
      <ul class="past-writes">
        {stored.map(([name, , , , cells]) => (
          <li key={name}>
            <button type="button" onClick={() => onChoose(String(cells[TRAIL_CELLS.revision]))}>
              <span class="when">{ageOf(Number(cells[TRAIL_CELLS.age]))}</span>{' '}
              <span class="calm">revision {String(cells[TRAIL_CELLS.revision])}</span>{' '}
              <span>
                <b>{String(cells[TRAIL_CELLS.verb])}</b> {String(cells[TRAIL_CELLS.target])}{' '}
                <span class="calm">by {String(cells[TRAIL_CELLS.user])}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

const storedRows = ({ rows }: RowPage): readonly WireRow[] => rows.filter(([, , , , cells]) => Boolean(cells[TRAIL_CELLS.revision]))
