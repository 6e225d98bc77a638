import type { ReportCollection, ReportedObject } from '../../apiserver/extension-points.ts'
import type { ObservedWatch } from '../../apiserver/trail/observed-watch.ts'
import type { WatchRegistry } from '../../apiserver/trail/watch-registry.ts'
import type { WatchReport } from '../../resources/bowsprit/watch-report.ts'
import { MOST_TEXT, trailTarget } from './trail-object.ts'

/** Serves `watchreports` from the list of open watches. */
export const watchReports = (registry: WatchRegistry): ReportCollection => ({
  changes: registry.changes,
  announcesGone: true,
  keys: () => registry.names(),
  watched: () => registry.watched(),
  objects(names) {
    const found = new Map<string, ReportedObject>()
    for (const name of names) {
      const watch = registry.of(name)
      if (watch !== undefined) found.set(name, { object: reportOf(watch), since: watch.since })
    }
    return found
  },
})

function reportOf(watch: ObservedWatch): WatchReport {
  const { query, user, userAgent, lastAt, lastRevision, pending } = watch
  const { labelSelector, fieldSelector } = query
  const since = new Date(watch.startedAt).toISOString()
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'WatchReport',
    metadata: { name: watch.name, resourceVersion: String(watch.revision), creationTimestamp: since.replace(/\.\d+/, '') },
    user: user.name,
    ...(userAgent !== '' && { userAgent: userAgent.slice(0, MOST_TEXT) }),
    target: trailTarget(query.target, undefined),
    ...(labelSelector !== '' && { labelSelector: labelSelector.slice(0, MOST_TEXT) }),
    ...(fieldSelector !== '' && { fieldSelector: fieldSelector.slice(0, MOST_TEXT) }),
    since,
    events: watch.events,
    openings: watch.openings.count,
    ...(watch.openings.expired > 0 && { expired: watch.openings.expired }),
    ...(lastAt !== undefined && { lastAt: new Date(lastAt).toISOString() }),
    ...(lastRevision > 0 && { lastRevision: String(lastRevision) }),
    state: pending === undefined ? 'lagging' : pending > 0 ? 'behind' : 'current',
    ...(pending !== undefined && { pending }),
  }
}
