import type { RowPage } from '../../wire/row-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { Link } from '../parts/link.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { isServed } from '../state/kinds.ts'
import { objectPath } from '../state/route.ts'
import { reportsOf, TRAILS } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'

/** Kinds of reports on what goes on, and the columns that tell what is wrong with one that is not well. */
const WATCHED = [
  { resource: 'controllerreports', what: 'Controller', columns: ['Name'], why: ['Failing'] },
  { resource: 'watchreports', what: 'Watch', columns: ['Target'], why: ['User', 'Opened', 'State'] },
] as const

type Watched = (typeof WATCHED)[number]

/** So many reports of a kind are looked at. */
const MOST = 500

/** Controllers with keys that fail, and watches that lag or are opened again and again. */
export const FailingReports = () => (
  <>
    {WATCHED.filter(({ resource }) => isServed({ ...TRAILS, resource })).map((each) => (
      <OfKind key={each.resource} of={each} />
    ))}
  </>
)

function OfKind({ of: { resource, what, columns, why } }: { readonly of: Watched }) {
  const message = useStream({ type: 'rows', query: reportsOf(resource, MOST) }).value
  if (message?.type !== 'rows') return null
  const { page } = message
  const bad = page.rows.filter(([, , , tone]) => tone === 'bad')
  if (bad.length === 0) return null
  return (
    <ul>
      {bad.map((row) => (
        <li key={row[0]}>
          <ToneMark tone="bad" /> <span class="calm">{what}</span>{' '}
          <Link to={objectPath({ ...TRAILS, resource, namespace: '', name: row[2] })}>{cells(page, row[4], columns).join(' ')}</Link>
          <span class="why">{why.map((name) => `${name.toLowerCase()}: ${cells(page, row[4], [name]).join()}`).join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}

const cells = ({ columns }: RowPage, of: RowPage['rows'][number][4], names: readonly string[]): readonly string[] =>
  names.map((name) => shownText(String(of[columns.findIndex((column) => column.name === name)] ?? '')))
