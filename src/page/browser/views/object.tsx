import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ObjectName } from '../../wire/object-name.ts'
import type { ObjectEvent, ObjectPage } from '../../wire/object-page.ts'
import { Link } from '../parts/link.tsx'
import { Notice } from '../parts/notice.tsx'
import { ToneMark } from '../parts/tone-mark.tsx'
import { ageOf } from '../state/age.ts'
import { readOnly } from '../state/connection.ts'
import { bindKeys } from '../state/keyboard.ts'
import { isServed } from '../state/kinds.ts'
import { atRevision, go, listPath, objectPath } from '../state/route.ts'
import { isOfPast, type ObjectTab, TAB_LABELS, tabsOf } from '../state/tabs.ts'
import { TRAILS } from '../state/trails.ts'
import { useStream } from '../state/use-stream.ts'
import { bindScrollKeys } from '../state/walk-keys.ts'
import { BenchTab } from './bench.tsx'
import { ControllerTab } from './controller.tsx'
import { EditTab } from './edit.tsx'
import { HistoryTab } from './history.tsx'
import { LogsTab } from './logs.tsx'
import { MachineTab } from './machine.tsx'
import { RelationsTab } from './relations.tsx'
import { TerminalTab } from './terminal.tsx'
import { TrailTab } from './trail.tsx'
import { WhyTab } from './why.tsx'
import { YamlTab } from './yaml.tsx'

/** One object as it is now. */
export function ObjectView({ object, tab }: { readonly object: ObjectName; readonly tab: ObjectTab }) {
  const message = useStream({ type: 'object', object }).value
  useLayoutEffect(
    () =>
      bindKeys([
        ...tabsOf(object).map((each) => ({
          keys: TAB_LABELS[each].keys,
          what: TAB_LABELS[each].name,
          run: () => go(objectPath(object, each)),
        })),
        { keys: ['Escape', 'u'], what: 'to the list', run: () => go(listPath(object)) },
      ]),
    [objectPath(object)],
  )
  useLayoutEffect(() => (tab === 'relations' ? undefined : bindScrollKeys()), [tab === 'relations'])
  const isPast = atRevision.value !== ''
  const tabs = tabsOf(object).filter((each) => (each !== 'edit' || !readOnly.value) && (!isPast || isOfPast(each)))
  const page = message?.type === 'object' ? message.page : undefined
  return (
    <section class="object-view" aria-label={object.name}>
      <Heading object={object} page={page} />
      <nav class="tabs" aria-label="Parts of the object">
        {tabs.map((each) => (
          <Link key={each} to={objectPath(object, each)} current={each === tab}>
            {TAB_LABELS[each].name}
            {page === undefined ? null : <TabCount tab={each} page={page} />}
          </Link>
        ))}
        {object.group === TRAILS.group || !isServed(TRAILS) ? null : <Link to={requestsPath(object)}>Requests ↗</Link>}
      </nav>
      {message?.type === 'error' ? <Notice kind="problem">{message.message}</Notice> : null}
      {page?.deleted ? <Notice kind="problem">It has been deleted. This is its last state.</Notice> : null}
      {page?.problem ? <Notice kind="problem">This may be old: {page.problem}</Notice> : null}
      {isPast && object.group !== TRAILS.group && !isOfPast(tab) ? (
        <Notice kind="info">This part knows the present alone.</Notice>
      ) : /* What is typed outlives the object. */ tab === 'edit' ? (
        <EditTab object={object} />
      ) : page === undefined ? null : (
        <Tab object={object} page={page} tab={tab} />
      )}
    </section>
  )
}

/** How the kind is called: a report by what it is about. */
function kindTitle({ group, resource }: ObjectName, page: ObjectPage | undefined): string {
  if (page === undefined) return resource
  return page.trail === null ? (group === TRAILS.group ? page.kind.replace(/Report$/, '') : page.kind) : 'Request'
}

function TabCount({ tab, page }: { readonly tab: ObjectTab; readonly page: ObjectPage }) {
  const count = tab === 'events' ? page.events.length : tab === 'history' ? page.history?.length : undefined
  return count === undefined ? null : <small> {count}</small>
}

/** The requests about the object: their column of the target says `deployments.apps/web -n shop`. */
function requestsPath({ group, resource, namespace, name }: ObjectName): string {
  const words = `${resource}${group === '' ? '' : `.${group}`}/${name}${namespace === '' ? '' : ` ${namespace}`}`
  return `${listPath(TRAILS)}?q=${encodeURIComponent(words)}`
}

function Heading({ object, page }: { readonly object: ObjectName; readonly page: ObjectPage | undefined }) {
  const { namespace, name } = object
  return (
    <header class="heading">
      <h1>
        {page === undefined ? null : <ToneMark tone={page.tone} />}
        <span>
          <Link to={listPath(object, namespace)} class="kind">
            {kindTitle(object, page)}
          </Link>
          {namespace === '' ? null : <span class="namespace">{namespace}/</span>}
          {/* The name of a request is an id. */}
          <span class="name">{page?.trail?.summary ?? name}</span>
        </span>
      </h1>
      {page === undefined || page.createdMs === 0 ? null : <span class="when">{ageOf(page.createdMs)} old</span>}
      {page?.health && page.trail === null ? <p class="health">{page.health}</p> : null}
    </header>
  )
}

function Tab({ object, page, tab }: { readonly object: ObjectName; readonly page: ObjectPage; readonly tab: Exclude<ObjectTab, 'edit'> }) {
  switch (tab) {
    case 'trail':
      return page.trail === null ? null : <TrailTab trail={page.trail} />
    case 'controller':
      return page.controller === null ? null : <ControllerTab page={page.controller} />
    case 'machine':
      return <MachineTab object={object} />
    case 'why':
      return <WhyTab object={object} />
    case 'bench':
      return <BenchTab object={object} />
    case 'logs':
      return <LogsTab object={object} />
    case 'shell':
    case 'attach':
      return <TerminalTab key={tab} object={object} command={tab} />
    case 'yaml':
      return <YamlTab page={page} />
    case 'history':
      return <HistoryTab object={object} history={page.history} />
    case 'events':
      return <EventsTab events={page.events} />
    case 'relations':
      return <RelationsTab object={object} />
  }
}

function EventsTab({ events }: { readonly events: readonly ObjectEvent[] }) {
  const warningsOnly = useSignal(false)
  if (events.length === 0) return <Notice kind="info">There are no events about it; the cluster forgets them after an hour.</Notice>
  const shown = events.filter(({ type }) => !warningsOnly.value || type === 'Warning')
  return (
    <div class="scrolled">
      <label class="choice">
        <input
          type="checkbox"
          checked={warningsOnly.value}
          onChange={({ currentTarget }) => {
            warningsOnly.value = currentTarget.checked
          }}
        />{' '}
        warnings only
      </label>
      <table class="events object-events">
        <thead>
          <tr>
            <th scope="col">Last</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">From</th>
            <th scope="col">Count</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((event, i) => (
            <tr key={i} class={event.type === 'Warning' ? 'warning' : ''}>
              <td class="when">{ageOf(event.lastMs)}</td>
              <td>{event.type}</td>
              <td>{event.reason}</td>
              <td class="message">{event.message}</td>
              <td>{event.source}</td>
              <td class="number">{event.count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
