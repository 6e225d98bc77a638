import type { ObjectName } from '../../wire/object-name.ts'
import type { HistoryEntry } from '../../wire/object-page.ts'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { ageOf } from '../state/age.ts'
import { objectPath, query, setQuery } from '../state/route.ts'
import { TRAILS } from '../state/trails.ts'

/** The changes of an object, the latest first, or those of one field. */
export function HistoryTab({ object, history }: { readonly object: ObjectName; readonly history: readonly HistoryEntry[] | null }) {
  if (history === null) return <Notice kind="info">Changes are recorded where requests are: by bowsprit up.</Notice>
  const field = query.value.get('field') ?? ''
  const shown = history.flatMap((entry) => {
    const fields = entry.fields.filter(({ path }) => touches(path, field))
    return field === '' || fields.length > 0 ? [{ entry, fields }] : []
  })
  return (
    <div class="scrolled history">
      <input
        type="search"
        placeholder="field: spec.replicas"
        aria-label="Changes of one field"
        value={field}
        onInput={({ currentTarget }) => setQuery({ field: currentTarget.value })}
      />
      {shown.length === 0 ? <p class="calm">No change is kept{field === '' ? '' : ' of this field'}.</p> : null}
      <ol>
        {shown.map(({ entry, fields }) => (
          <Change key={entry.revision} object={object} entry={entry} fields={fields} />
        ))}
      </ol>
    </div>
  )
}

/** A change of `spec` sets `spec.replicas`, and one of `spec.replicas` changes `spec`. */
const touches = (path: string, field: string): boolean => path.includes(field) || field.startsWith(path)

interface ChangeProps {
  readonly object: ObjectName
  readonly entry: HistoryEntry
  readonly fields: HistoryEntry['fields']
}

function Change({ object, entry: { revision, change, request, timeMs, user, verb, manager, unlisted }, fields }: ChangeProps) {
  return (
    <li class="revision">
      <p>
        <span class="when">{timeMs === 0 ? '' : ageOf(timeMs)}</span>
        <b class={`change change-${change}`}>{change === 'unknown' ? 'changed' : change}</b>
        {request === '' ? (
          <span class="calm">by the server, or by a request that is no longer kept</span>
        ) : (
          <Link to={objectPath({ ...TRAILS, namespace: '', name: request })}>
            {verb} by {user}
          </Link>
        )}{' '}
        {manager === '' || manager === user ? null : <small>as {manager}</small>}{' '}
        <Link to={`${objectPath(object)}?at=${revision}`} class="quiet" title="the object, and the cluster, as they were then">
          revision {revision}
        </Link>
      </p>
      <ul>
        {fields.map(({ path, from, to }) => (
          <li key={path}>
            <button type="button" class="path" title="only changes of this field" onClick={() => setQuery({ field: path })}>
              {path}
            </button>{' '}
            {from === '' ? null : <del>{from}</del>} {to === '' ? null : <ins>{to}</ins>}
          </li>
        ))}
      </ul>
      {unlisted > 0 ? <p class="calm">and {unlisted} more fields</p> : null}
    </li>
  )
}
