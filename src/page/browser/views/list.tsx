import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Cell, CollectionName, ColumnHead, RowPage, RowsQuery, WireRow } from '../../wire/messages.ts'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { ageOf } from '../state/age.ts'
import { bindKeys } from '../state/keyboard.ts'
import { go, isTrails, listPath, type ObjectTab, objectPath, query, setQuery } from '../state/route.ts'
import { useStream } from '../state/use-stream.ts'

const LINE_PX = 26

/** The objects of a collection, as they are now. */
export function ListView({ of }: { readonly of: CollectionName }) {
  const window = useSignal({ from: 0, count: 80 })
  const cursor = useSignal(0)
  const request: RowsQuery = { ...of, ...listParameters(query.value), ...window.value }
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
  if (message?.type === 'error') return <Notice kind="problem">{message.message}</Notice>
  return (
    <section class="list" aria-label={of.resource}>
      <Toolbar of={of} page={page} namespace={request.namespace} />
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
const listParameters = (parameters: URLSearchParams) => ({
  namespace: parameters.get('ns') ?? '',
  labelSelector: parameters.get('labels') ?? '',
  filter: parameters.get('q') ?? '',
  sort: Number(parameters.get('sort') ?? -1),
  descending: parameters.get('desc') === '1',
})

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
  useEffect(() => {
    const selected = () => {
      const { page, at } = latest.current
      return page?.rows[at - page.from]
    }
    const open = (tab?: ObjectTab) => () => {
      const row = selected()
      if (row !== undefined) go(objectPath(objectOf(latest.current.of, row), tab))
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
      { keys: ['y'], what: 'its YAML', run: open('yaml') },
      { keys: ['v'], what: 'its events', run: open('events') },
      { keys: ['r'], what: 'its relations', run: open('relations') },
      { keys: ['f'], what: 'filter the rows', run: () => document.getElementById('filter')?.focus() },
      { keys: ['0'], what: 'all namespaces', run: () => setQuery({ ns: '' }) },
    ])
  }, [])
}

const objectOf = (of: CollectionName, [, namespace, name]: WireRow) => ({ ...of, namespace, name })

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
        {of.resource}
        <small>
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
        id="filter"
        type="search"
        placeholder="filter (f)"
        aria-label="Filter rows"
        value={filter}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter' || key === 'Escape') currentTarget.blur()
        }}
      />
      <output class="count" aria-live="polite">
        {counted}
        {page?.loading ? ' …' : ''}
      </output>
    </div>
  )
}

interface RowsProps {
  readonly page: RowPage
  readonly of: CollectionName
  readonly request: RowsQuery
  readonly at: number
  onWindow(window: { readonly from: number; readonly count: number }): void
  onCursor(to: number): void
}

function Rows({ page, of, request, at, onWindow, onCursor }: RowsProps) {
  const shown = shownColumns(page)
  const widths = { '--columns': shown.map(widthOf).join(' ') } as Record<string, string>
  return (
    <div class={`rows ${page.namespaced ? 'namespaced' : ''} ${isTrails(of) ? 'trails' : ''}`} style={widths}>
      <VirtualList
        total={page.matched}
        from={page.from}
        lineHeight={LINE_PX}
        cursor={at}
        label={of.resource}
        grid={{ rows: page.matched + 1, columns: shown.length + 2 + Number(page.namespaced) }}
        onWindow={onWindow}
        head={<Head columns={shown} request={request} namespaced={page.namespaced} />}
      >
        {page.rows.map((row, i) => (
          <Line
            key={row[0]}
            row={row}
            of={of}
            columns={shown}
            namespaced={page.namespaced}
            index={page.from + i}
            selected={page.from + i === at}
            onCursor={onCursor}
          />
        ))}
      </VirtualList>
    </div>
  )
}

/** So many pixels a column needs at least. */
const COLUMN_PX = 140

/** The columns but the name, which has a link of its own; of those for wide screens as many as there is room for. */
function shownColumns({ columns, namespaced }: RowPage): readonly ShownColumn[] {
  const own = columns.map((column, index) => ({ ...column, index })).filter(({ name }) => name !== 'Name')
  let room = Math.floor(innerWidth / COLUMN_PX) - own.filter(({ wide }) => !wide).length - 1 - Number(namespaced)
  return own.filter(({ wide }) => !wide || room-- > 0)
}

const widthOf = ({ type, wide, name }: ColumnHead): string =>
  type === 'time'
    ? '5rem'
    : name === 'Message' || name === 'Target'
      ? 'minmax(12rem, 6fr)'
      : type === 'number' || wide
        ? 'minmax(4rem, 1fr)'
        : 'minmax(5rem, 1.4fr)'

type ShownColumn = ColumnHead & { readonly index: number }

function Head({
  columns,
  request,
  namespaced,
}: {
  readonly columns: readonly ShownColumn[]
  readonly request: RowsQuery
  readonly namespaced: boolean
}) {
  const byName = (label: string) => <SortButton label={label} index={-1} request={request} title="by namespace and name" />
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      <span role="columnheader">
        <span class="hidden">State</span>
      </span>
      {namespaced ? <span role="columnheader">Namespace</span> : null}
      <span role="columnheader">{byName('Name')}</span>
      {columns.map(({ name, index, description }) => (
        <span role="columnheader" key={index}>
          <SortButton label={name} index={index} request={request} title={description} />
        </span>
      ))}
    </div>
  )
}

interface SortButtonProps {
  readonly label: string
  readonly index: number
  readonly request: RowsQuery
  readonly title: string
}

function SortButton({ label, index, request, title }: SortButtonProps) {
  const isSorted = request.sort === index
  const sort = () => setQuery({ sort: index < 0 ? '' : String(index), desc: isSorted && !request.descending ? '1' : '' })
  return (
    <button type="button" class="sort" onClick={sort} title={title}>
      {label}
      {isSorted ? (request.descending ? ' ↓' : ' ↑') : ''}
    </button>
  )
}

interface LineProps {
  readonly row: WireRow
  readonly of: CollectionName
  readonly columns: readonly ShownColumn[]
  readonly namespaced: boolean
  readonly index: number
  readonly selected: boolean
  onCursor(to: number): void
}

function Line({ row, of, columns, namespaced, index, selected, onCursor }: LineProps) {
  const [, namespace, name, tone, cells] = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves the cursor by keys of the whole view
    <div
      class={`row tone-row-${tone || 'well'}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      onClick={() => onCursor(index)}
    >
      <span role="gridcell">
        <ToneMark tone={tone} />
      </span>
      {namespaced ? (
        <span role="gridcell">
          <Link to={listPath(of, namespace)} class="quiet">
            {namespace}
          </Link>
        </span>
      ) : null}
      <span role="gridcell" class="name">
        <Link to={objectPath(objectOf(of, row))}>{name}</Link>
      </span>
      {columns.map(({ index: at, type }) => (
        <span role="gridcell" key={at} class={`cell-${type}`}>
          {cellText(cells[at] ?? null, type)}
        </span>
      ))}
    </div>
  )
}

const cellText = (cell: Cell, type: ColumnHead['type']): string =>
  cell === null ? '' : type === 'time' && typeof cell === 'number' ? ageOf(cell) : String(cell)
