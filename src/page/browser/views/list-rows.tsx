import type { CollectionName, ObjectName } from '../../wire/object-name.ts'
import type { Cell, ColumnHead, RowPage, RowsQuery, WireRow } from '../../wire/row-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { Link } from '../parts/link.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { ageOf } from '../state/age.ts'
import { listPath, objectPath, setQuery } from '../state/route.ts'
import type { ObjectTab } from '../state/tabs.ts'
import { isQueue, isTrails, isWatches } from '../state/trails.ts'

const LINE_PX = 26

/** The kind of what a row opens: a report of the queue is about a pod. */
export const openedKind = (of: CollectionName): CollectionName => (isQueue(of) ? { group: '', version: 'v1', resource: 'pods' } : of)

export const objectOfRow = (of: CollectionName, [, namespace, name]: WireRow): ObjectName => ({ ...openedKind(of), namespace, name })

/** The part of the object that it opens; undefined: the first. */
export const tabOfRow = (of: CollectionName): ObjectTab | undefined => (isQueue(of) ? 'why' : undefined)

interface RowsProps {
  readonly page: RowPage
  readonly of: CollectionName
  readonly request: RowsQuery
  readonly at: number
  onWindow(window: { readonly from: number; readonly count: number }): void
  onCursor(to: number): void
}

/** The rows in view, and the head above them. */
export function Rows({ page, of, request, at, onWindow, onCursor }: RowsProps) {
  const shown = shownColumns(page, of)
  const widths = { '--columns': shown.map(widthOf).join(' ') } as Record<string, string>
  return (
    <div class={`rows ${page.namespaced ? 'namespaced' : ''} ${linkColumns(of).length > 0 ? 'by-target' : ''}`} style={widths}>
      <VirtualList
        total={page.matched}
        from={page.from}
        lineHeight={LINE_PX}
        cursor={at}
        label={of.resource}
        grid={{ rows: page.matched + 1, columns: shown.length + 2 + Number(page.namespaced) }}
        onWindow={onWindow}
        head={<Head columns={shown} request={request} page={page} of={of} />}
      >
        {page.rows.map((row, i) => (
          <Line
            key={row[0]}
            row={row}
            of={of}
            columns={shown}
            text={linkText(of, row, page.columns)}
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

/** The columns but those of the link; of those for wide screens as many as there is room for. */
function shownColumns({ columns, namespaced }: RowPage, of: CollectionName): readonly ShownColumn[] {
  const inLink = linkColumns(of)
  const own = columns.map((column, index) => ({ ...column, index })).filter(({ name }) => name !== 'Name' && !inLink.includes(name))
  let room = Math.floor(innerWidth / COLUMN_PX) - own.filter(({ wide }) => !wide).length - 1 - Number(namespaced)
  return own.filter(({ wide }) => !wide || room-- > 0)
}

const widthOf = ({ type, wide, name }: ColumnHead): string =>
  type === 'time'
    ? '5rem'
    : name === 'Message' || name === 'Target'
      ? 'minmax(12rem, 6fr)'
      : name === 'User' || name === 'Component'
        ? 'minmax(8rem, 2.6fr)'
        : type === 'number' || wide
          ? 'minmax(4rem, 1fr)'
          : 'minmax(5rem, 1.4fr)'

const NAMED: readonly string[] = []

/** Columns whose cells are the text of the link, where the name is an id that tells nothing. */
function linkColumns(of: CollectionName): readonly string[] {
  if (isTrails(of)) return ['Verb', 'Target']
  return isWatches(of) ? ['Target'] : NAMED
}

function linkText(of: CollectionName, [, , name, , cells]: WireRow, columns: readonly ColumnHead[]): string {
  const inLink = linkColumns(of)
  if (inLink.length === 0) return shownText(name)
  return inLink.map((head) => cells[columns.findIndex((column) => column.name === head)]).join(' ')
}

type ShownColumn = ColumnHead & { readonly index: number }

interface HeadProps extends Pick<RowsProps, 'page' | 'of' | 'request'> {
  readonly columns: readonly ShownColumn[]
}

function Head({ columns, request, page, of }: HeadProps) {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      <span role="columnheader">
        <span class="hidden">State</span>
      </span>
      {page.namespaced ? <span role="columnheader">Namespace</span> : null}
      <span role="columnheader">
        {linkColumns(of).length > 0 ? (
          <SortButton
            label="Target"
            index={page.columns.findIndex(({ name }) => name === 'Target')}
            request={request}
            title="by its target"
          />
        ) : (
          <SortButton label="Name" index={-1} request={request} title="by namespace and name" />
        )}
      </span>
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
  readonly text: string
  readonly namespaced: boolean
  readonly index: number
  readonly selected: boolean
  onCursor(to: number): void
}

function Line({ row, of, columns, text, namespaced, index, selected, onCursor }: LineProps) {
  const [, namespace, , tone, cells] = row
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
            {shownText(namespace)}
          </Link>
        </span>
      ) : null}
      <span role="gridcell" class="name">
        <Link to={objectPath(objectOfRow(of, row), tabOfRow(of))}>{text}</Link>
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
