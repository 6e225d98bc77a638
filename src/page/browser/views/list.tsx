import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { CollectionName } from '../../wire/object-name.ts'
import type { RowPage, RowsQuery } from '../../wire/row-page.ts'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { bindKeys } from '../state/keyboard.ts'
import { titleOf } from '../state/menu.ts'
import { go, listPath, objectPath, query, setQuery } from '../state/route.ts'
import { type ObjectTab, TAB_LABELS, tabsOf } from '../state/tabs.ts'
import { isTrails, isWatches, TRAIL_CELLS, WATCH_TARGET, WRITES } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'
import { objectOfRow, openedKind, Rows, tabOfRow } from './list-rows.tsx'

/** The objects of a collection, as they are now. */
export function ListView({ of }: { readonly of: CollectionName }) {
  const window = useSignal({ from: 0, count: 80 })
  const cursor = useSignal(0)
  const request: RowsQuery = { ...of, ...listParameters(query.value, of), ...window.value }
  const message = useStream({ type: 'rows', query: request }).value
  const page = message?.type === 'rows' ? message.page : undefined
  const last = Math.max(0, (page?.matched ?? 1) - 1)
  const at = Math.min(cursor.value, last)
  useKeys({
    of,
    page,
    at,
    last,
    move: (to) => {
      cursor.value = Math.max(0, Math.min(last, to))
    },
  })
  return (
    <section class="list" aria-label={of.resource}>
      <Toolbar of={of} page={page} namespace={request.namespace} />
      {message?.type === 'error' ? <Notice kind="problem">{message.message}</Notice> : null}
      {page?.problem ? <Notice kind="problem">These rows may be old: {page.problem}</Notice> : null}
      {page === undefined ? null : (
        <Rows
          page={page}
          of={of}
          request={request}
          at={at}
          onWindow={(next) => {
            if (next.from !== window.value.from || next.count !== window.value.count) window.value = next
          }}
          onCursor={(to) => {
            cursor.value = to
          }}
        />
      )}
    </section>
  )
}

/** What an address says of a list. */
const listParameters = (parameters: URLSearchParams, of: CollectionName) => ({
  namespace: parameters.get('ns') ?? '',
  labelSelector: parameters.get('labels') ?? '',
  fieldSelector: isTrails(of) && !parameters.has('reads') ? WRITES : '',
  filter: parameters.get('q') ?? '',
  ...orderOf(parameters, of),
})

/** The order of the address, or that of the kind: reports whose names are ids have another than by name. */
function orderOf(parameters: URLSearchParams, of: CollectionName): Pick<RowsQuery, 'sort' | 'descending'> {
  const sort = parameters.get('sort')
  if (sort !== null) return { sort: Number(sort), descending: parameters.get('desc') === '1' }
  return isTrails(of) ? { sort: TRAIL_CELLS.age, descending: true } : { sort: isWatches(of) ? WATCH_TARGET : -1, descending: false }
}

interface KeyDeps {
  readonly of: CollectionName
  readonly page: RowPage | undefined
  readonly at: number
  readonly last: number
  move(to: number): void
}

/** The keys of k9s, as far as they are about rows. */
function useKeys(deps: KeyDeps): void {
  const latest = useRef(deps)
  latest.current = deps
  useLayoutEffect(() => {
    const selected = () => {
      const { page, at } = latest.current
      return page?.rows[at - page.from]
    }
    const open = (tab?: ObjectTab) => () => {
      const row = selected()
      if (row !== undefined) go(objectPath(objectOfRow(latest.current.of, row), tab ?? tabOfRow(latest.current.of)))
    }
    const by = (lines: number) => () => latest.current.move(latest.current.at + lines)
    return bindKeys([
      { keys: ['j', 'ArrowDown'], what: 'next row', run: by(1) },
      { keys: ['k', 'ArrowUp'], what: 'row before', run: by(-1) },
      { keys: ['PageDown', 'ctrl+f'], what: 'a page down', run: by(30) },
      { keys: ['PageUp', 'ctrl+b'], what: 'a page up', run: by(-30) },
      { keys: ['g', 'Home'], what: 'first row', run: () => latest.current.move(0) },
      { keys: ['G', 'End'], what: 'last row', run: () => latest.current.move(latest.current.last) },
      { keys: ['Enter'], what: 'open the row', run: open() },
      ...tabsOf(openedKind(latest.current.of)).map((tab) => ({
        keys: TAB_LABELS[tab].keys,
        what: `its ${TAB_LABELS[tab].name}`,
        run: open(tab),
      })),
      { keys: ['0'], what: 'all namespaces', run: () => setQuery({ ns: '' }) },
    ])
  }, [])
}

interface ToolbarProps {
  readonly of: CollectionName
  readonly page: RowPage | undefined
  readonly namespace: string
}

function Toolbar({ of, page, namespace }: ToolbarProps) {
  const filter = query.value.get('q') ?? ''
  const counted = page === undefined ? '' : page.matched === page.total ? `${page.total}` : `${page.matched} of ${page.total}`
  return (
    <div class="toolbar">
      <h1>
        {titleOf(of)}
        <small>
          {titleOf(of) === of.resource ? '' : `${of.resource} `}
          {of.group || 'core'}/{of.version}
        </small>
      </h1>
      {namespace === '' ? null : (
        <span class="chip">
          namespace {namespace}{' '}
          <Link to={listPath(of)} title="all namespaces">
            ×
          </Link>
        </span>
      )}
      <input
        type="search"
        placeholder="filter (f)"
        aria-label="Filter rows"
        value={filter}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur()
        }}
      />
      {isTrails(of) ? <AllChoice /> : null}
      <output class="count" aria-live="polite">
        {counted}
        {page?.loading ? ' …' : ''}
      </output>
    </div>
  )
}

/** Most requests are not what a user has done. */
function AllChoice() {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={query.value.has('reads')}
        onChange={({ currentTarget }) => setQuery({ reads: currentTarget.checked ? '1' : '' })}
      />{' '}
      all: also reads, dry runs, events and heartbeats
    </label>
  )
}
