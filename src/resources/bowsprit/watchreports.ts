import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import { ageColumn, collectionResource, META, NUMBER, reportStructs, TEXT } from './report-schema.ts'
import { targetText, trailTargetSchema } from './requesttrails.ts'
import type { WatchReport } from './watch-report.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  user: 'Who watches.',
  userAgent: 'With which program.',
  target: 'What is watched.',
  since: 'When the watch began.',
  events: 'Sent so far.',
  openings: 'How often its reader has opened the same watch in the last ten minutes, this time included.',
  expired: 'How many of those ended with 410: the reader could not keep up.',
  lastAt: 'When the last event or bookmark was sent.',
  lastRevision: 'The revision of the last event or bookmark.',
  state: 'current: it has everything; behind: events wait for it; lagging: so many that it reads the history to catch up.',
  pending: 'Events that wait for it; absent while it lags.',
}

const struct = reportStructs(ABOUT)

/** The types of `watch-report.ts`. */
const schema = once(() =>
  struct('WatchReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    user: TEXT,
    userAgent: TEXT,
    target: trailTargetSchema(),
    labelSelector: TEXT,
    fieldSelector: TEXT,
    since: TEXT,
    events: NUMBER,
    openings: NUMBER,
    expired: NUMBER,
    lastAt: TEXT,
    lastRevision: TEXT,
    state: TEXT,
    pending: NUMBER,
  }),
)

/** `watchreports.bowsprit.dev`: one for each open watch. Served where requests are recorded. */
export const watchReports = collectionResource(
  { kind: 'WatchReport', plural: 'watchreports', singular: 'watchreport' },
  {
    schema,
    report: 'watchReports',
    scope: 'Cluster',
    columns: [
      textColumn<WatchReport>('Name', 'The id of the request.', (r) => r.metadata.name ?? ''),
      textColumn<WatchReport>('User', 'Who watches.', (r) => r.user),
      textColumn<WatchReport>('Target', 'What is watched.', (r) => targetText(r.target)),
      textColumn<WatchReport>('Selector', 'Which of them.', (r) => r.labelSelector ?? r.fieldSelector ?? '<none>'),
      textColumn<WatchReport>('Events', 'Sent so far.', (r) => String(r.events)),
      textColumn<WatchReport>('Opened', 'How often in the last ten minutes.', (r) => String(r.openings)),
      textColumn<WatchReport>('State', 'Whether it has everything.', (r) => r.state),
      ageColumn('When the watch began.'),
    ],
  },
)
