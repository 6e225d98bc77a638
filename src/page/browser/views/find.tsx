import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ObjectSummary } from '../../wire/object-name.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { ToneMark } from '../parts/tone-mark.tsx'
import { go, listPath, objectPath } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'

interface Hit {
  readonly to: string
  readonly what: string
  readonly text: string
  readonly object?: ObjectSummary
}

const VIEWS: readonly Hit[] = [
  { to: '/', what: 'view', text: 'Overview' },
  { to: '/kinds', what: 'view', text: 'Kinds' },
  { to: '/lab', what: 'view', text: 'Lab' },
  { to: '/trials', what: 'view', text: 'Trials' },
]

/** Finds views, kinds and objects by words. */
export function FindDialog({ onClose }: { onClose(): void }) {
  const text = useSignal('')
  const cursor = useSignal(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const kinds = useStream({ type: 'kinds' }).value
  const found = useStream({ type: 'find', text: text.value }).value
  useEffect(() => dialog.current?.showModal(), [])
  const objects = found?.type === 'found' ? found.objects : []
  const hits = [...namedHits(text.value, kinds?.type === 'kinds' ? kinds.kinds : []), ...objects.map(objectHit)]
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
    <dialog ref={dialog} class="find" aria-label="Find" onClose={onClose}>
      <input
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="hits"
        aria-label="Find objects, kinds and views"
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
            {hit.object === undefined ? <span class="mark" /> : <ToneMark tone={hit.object.tone} />}
            <span class="kind">{hit.what}</span> {hit.text}
          </div>
        ))}
      </div>
      {text.value !== '' && hits.length === 0 ? (
        <p class="calm">{found?.type === 'found' && !found.loading ? 'Nothing has these words.' : 'Reading the cluster …'}</p>
      ) : null}
    </dialog>
  )
}

const objectHit = (object: ObjectSummary): Hit => ({
  to: objectPath(object),
  what: object.kind,
  text: object.namespace === '' ? object.name : `${object.namespace}/${object.name}`,
  object,
})

const MAX_KINDS = 8

/** Views, and kinds whose short name, or the beginning of whose name, is the text. */
function namedHits(text: string, kinds: readonly KindEntry[]): readonly Hit[] {
  const wanted = text.trim().toLowerCase().replace(/^:/, '')
  if (wanted === '') return VIEWS
  const exact = (kind: KindEntry) => kind.shortNames.includes(wanted) || kind.resource === wanted || kind.kind.toLowerCase() === wanted
  return [
    ...VIEWS.filter((hit) => hit.text.toLowerCase().startsWith(wanted)),
    ...kinds
      .filter((kind) => exact(kind) || kind.resource.startsWith(wanted))
      .sort((a, b) => Number(exact(b)) - Number(exact(a)))
      .slice(0, MAX_KINDS)
      .map((kind) => ({
        to: listPath(kind),
        what: 'list',
        text: `${kind.kind} (${kind.resource}${kind.group === '' ? '' : `.${kind.group}`})`,
      })),
  ]
}
