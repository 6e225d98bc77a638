import { useSignal } from '@preact/signals'
import type { ObjectSummary } from '../../wire/object-name.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { WireRow } from '../../wire/row-page.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { isServed } from '../state/kinds.ts'
import { menu } from '../state/menu.ts'
import { go, listPath, objectPath } from '../state/route.ts'
import { lastWrites, TRAIL_CELLS, TRAILS } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'

interface Hit {
  readonly to: string
  readonly what: string
  readonly text: string
  readonly tone?: ObjectSummary['tone']
}

/** Finds views, kinds, objects and requests by words. */
export function FindDialog({ onClose }: { onClose(): void }) {
  const text = useSignal('')
  const cursor = useSignal(0)
  const { hits, isReading } = useHits(text.value)
  const at = Math.min(cursor.value, Math.max(0, hits.length - 1))
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return
    onClose()
    go(hit.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') cursor.value = Math.min(at + 1, hits.length - 1)
    else if (event.key === 'ArrowUp') cursor.value = Math.max(at - 1, 0)
    else if (event.key === 'Enter') open(hits[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Find" untitled class="find" onClose={onClose}>
      <input
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="hits"
        aria-label="Find views, kinds, objects and requests"
        aria-activedescendant={hits.length > 0 ? `hit-${at}` : undefined}
        placeholder="kind, name, namespace, label …"
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          cursor.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <div id="hits" role="listbox" aria-label="Found">
        {hits.map((hit, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
          <div key={hit.to} id={`hit-${i}`} role="option" tabIndex={-1} aria-selected={i === at} onClick={() => open(hit)}>
            {hit.tone === undefined ? <span class="mark" /> : <ToneMark tone={hit.tone} />}
            <span class="kind">{hit.what}</span> {hit.text}
          </div>
        ))}
      </div>
      {isReading ? <p class="calm">Reading the cluster …</p> : hits.length === 0 ? <p class="calm">Nothing has these words.</p> : null}
    </Dialog>
  )
}

/** So many requests are found: the last ones are what is looked for. */
const MAX_REQUESTS = 5

/** What has the words; `isReading`: there may be more. */
function useHits(text: string): { readonly hits: readonly Hit[]; readonly isReading: boolean } {
  const kinds = useStream({ type: 'kinds' }).value
  const found = useStream({ type: 'find', text }).value
  const requests = useStream(
    isServed(TRAILS) && text.trim() !== '' ? { type: 'rows', query: lastWrites(MAX_REQUESTS, text) } : undefined,
  ).value
  const hits = [
    ...namedHits(text, kinds?.type === 'kinds' ? kinds.kinds : []),
    ...(found?.type === 'found' ? found.objects.map(objectHit) : []),
    ...(requests?.type === 'rows' ? requests.page.rows.map(requestHit) : []),
  ]
  return { hits, isReading: text !== '' && (found?.type !== 'found' || found.loading) }
}

const objectHit = (object: ObjectSummary): Hit => ({
  to: objectPath(object),
  what: object.kind,
  text: object.namespace === '' ? object.name : `${object.namespace}/${object.name}`,
  tone: object.tone,
})

const requestHit = ([, , name, tone, cells]: WireRow): Hit => ({
  to: objectPath({ ...TRAILS, namespace: '', name }),
  what: 'request',
  text: `${cells[TRAIL_CELLS.verb]} ${cells[TRAIL_CELLS.target]} by ${cells[TRAIL_CELLS.user]}`,
  tone,
})

const MAX_KINDS = 8

/** Views, and kinds whose short name, or the beginning of whose name, is the text. */
function namedHits(text: string, kinds: readonly KindEntry[]): readonly Hit[] {
  const wanted = text.trim().toLowerCase().replace(/^:/, '')
  const views = menu()
    .filter(({ name }) => name.toLowerCase().startsWith(wanted))
    .map(({ name, to }) => ({ to, what: 'view', text: name }))
  if (wanted === '') return views
  const exact = (kind: KindEntry) => kind.shortNames.includes(wanted) || kind.resource === wanted || kind.kind.toLowerCase() === wanted
  const lists = kinds
    .filter((kind) => exact(kind) || kind.resource.startsWith(wanted))
    .sort((a, b) => Number(exact(b)) - Number(exact(a)))
    .slice(0, MAX_KINDS)
    .map((kind) => ({
      to: listPath(kind),
      what: 'list',
      text: `${kind.kind} (${kind.resource}${kind.group === '' ? '' : `.${kind.group}`})`,
    }))
  // The list of pods is a view, too.
  return [...views, ...lists.filter(({ to }) => !views.some((view) => view.to === to))]
}
