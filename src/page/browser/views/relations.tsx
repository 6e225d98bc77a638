import { useLayoutEffect } from 'preact/hooks'
import type { ObjectName } from '../../wire/object-name.ts'
import type { Relations } from '../../wire/overview.ts'
import { Answer } from '../parts/answer.tsx'
import { useStream } from '../state/use-stream.ts'
import { bindLinkKeys } from '../state/walk-keys.ts'
import { ObjectLink } from './overview.tsx'

/** The owners of an object, and what they and it own. */
export function RelationsTab({ object }: { readonly object: ObjectName }) {
  const message = useStream({ type: 'relations', object }).value
  useLayoutEffect(bindLinkKeys, [])
  return (
    <Answer message={message} type="relations" waiting="Reading the cluster …">
      {({ relations }) => <Tree of={relations} />}
    </Answer>
  )
}

function Tree({ of: { tree, unsent, loading } }: { readonly of: Relations }) {
  return (
    <div class="scrolled">
      <ul class="tree">
        {tree.map((related) => (
          <li
            key={`${related.kind}/${related.namespace}/${related.name}`}
            class={related.self ? 'self' : ''}
            style={{ marginLeft: `${related.depth * 1.6}rem` }}
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
