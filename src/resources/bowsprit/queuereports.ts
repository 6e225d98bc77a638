import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import type { QueueReport } from './queue-report.ts'
import { ageColumn, collectionResource, list, META, NUMBER, reportStructs, TEXT } from './report-schema.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  scheduler: 'The scheduler of the pod.',
  queue:
    'InFlight: it is being scheduled; Active: it is next; Backoff: it waits until a time; Unschedulable: for an event; Gated: a plugin keeps it out.',
  priority: 'The priority of the pod.',
  attempts: 'How often it was tried.',
  since: 'When it entered the queue, or failed last.',
  until: 'When it is tried again.',
  plugins: 'The plugins that rejected it last.',
  message: 'Why it is kept out.',
  wokenBy: 'The events that may let it in.',
}

const struct = reportStructs(ABOUT)

/** The types of `queue-report.ts`. */
const schema = once(() =>
  struct('QueueReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    scheduler: TEXT,
    queue: TEXT,
    priority: NUMBER,
    attempts: NUMBER,
    since: TEXT,
    until: TEXT,
    plugins: list(TEXT),
    message: TEXT,
    wokenBy: list(TEXT),
  }),
)

const texts = (list: readonly string[] | undefined) => (list === undefined || list.length === 0 ? '<none>' : list.join(','))

/** `queuereports.bowsprit.dev`: one for each pod in the scheduler's queue. Served where requests are recorded and a scheduler runs. */
export const queueReports = collectionResource(
  { kind: 'QueueReport', plural: 'queuereports', singular: 'queuereport' },
  {
    schema,
    report: 'queueReports',
    scope: 'Namespaced',
    columns: [
      textColumn<QueueReport>('Name', 'The name of the pod.', (r) => r.metadata.name ?? ''),
      textColumn<QueueReport>('Queue', 'Where it waits.', (r) => r.queue),
      textColumn<QueueReport>('Priority', 'The higher goes first.', (r) => String(r.priority)),
      textColumn<QueueReport>('Attempts', 'How often it was tried.', (r) => String(r.attempts)),
      textColumn<QueueReport>('Rejected-By', 'The plugins that rejected it last.', (r) => texts(r.plugins)),
      textColumn<QueueReport>('Woken-By', 'The events that may let it in.', (r) => texts(r.wokenBy)),
      ageColumn('When it entered the queue, or failed last.'),
    ],
  },
)
