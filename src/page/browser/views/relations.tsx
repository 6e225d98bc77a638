import type { ObjectName } from '../../wire/object-name.ts'
import { Notice } from '../parts/notice.tsx'
import { useStream } from '../state/use-stream.ts'
import { ObjectLink } from './overview.tsx'

/** The owners of an object, and what they and it own. */
export function RelationsTab({ object }: { readonly object: ObjectName }) {
  const message = useStream({ type: 'relations', object }).value
  if (message?.type === 'error') return <Notice kind="problem">{message.message}</Notice>
  if (message?.type !== 'relations') return <Notice kind="info">Reading the cluster …</Notice>
  const { tree, unsent, loading } = message.relations
  return (
    <div class="scrolled">
      <ul class="tree">
        {tree.map((related) => (
          <li
            key={`${related.kind}/${related.namespace}/${related.name}`}
            class={related.self ? 'self' : ''}
            style={{ paddingLeft: `${related.depth * 1.6}rem` }}
          >
            <span class="branch" aria-hidden="true">
              {related.depth > 0 ? '└ ' : ''}
            </span>
            <ObjectLink object={related} />
            {related.health === '' ? null : <span class="why">{related.health}</span>}
          </li>
        ))}
      </ul>
      {unsent > 0 ? <p class="calm">and {unsent} more</p> : null}
      {loading ? <p class="calm">Reading …</p> : null}
      {!loading && tree.length === 1 ? <p class="calm">It has no owner, and owns nothing.</p> : null}
    </div>
  )
}
