import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { ReportCollection, ReportedObject, ReportReader } from '../../apiserver/extension-points.ts'
import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import type { WrittenObject } from '../../apiserver/trail/recorded-writes.ts'
import type { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import { giveTurn } from '../../base/turns.ts'
import type { FieldHistory } from '../../resources/bowsprit/field-history.ts'
import { mayGet } from './may-get.ts'
import { MOST_REVISIONS, objectRevisions } from './object-revisions.ts'
import { nameIn, trailTarget } from './trail-object.ts'

export interface FieldHistoryDeps {
  readonly definitions: ResourceRegistry
  readonly watchCache: WatchCache
}

/** Serves `fieldhistories`: what the watch cache still has of an object, joined with the recorded requests. */
export const fieldHistories = (trails: TrailRecorder, deps: FieldHistoryDeps): ReportCollection => ({
  changes: trails.writes.changes,
  refreshed: async () => trails.followWrites(),
  watched: () => trails.followed(),
  keys: () => trails.writes.keys(),
  async objects(keys, reader) {
    // While an authorizer is asked, no trail may become that of another request.
    using _ = trails.followed()
    const found = new Map<string, ReportedObject>()
    for (const key of keys) {
      const written = trails.writes.of(key)
      const object = written && (await historyOf(key, written, { ...deps, reader }))
      if (written !== undefined && object !== undefined) found.set(key, { object, since: written.since })
      if (found.size > 1) await giveTurn()
    }
    return found
  },
})

interface HistoryDeps extends FieldHistoryDeps {
  readonly reader: ReportReader
}

async function historyOf(key: string, written: WrittenObject, deps: HistoryDeps): Promise<FieldHistory | undefined> {
  const latest = written.trails.at(-1)
  const target = latest?.info.target
  if (latest?.storedKey === undefined || target === undefined) return undefined
  const { definitions, watchCache, reader } = deps
  const definition = definitions.get(target.group, target.resource)
  const history = definition && watchCache.of(definition).history
  const events = history?.of(latest.storedKey).slice(-MOST_REVISIONS) ?? []
  const open = await mayGet(reader)({ ...target, name: nameIn(latest.storedKey) })
  const { subresource: _, ...shown } = trailTarget(target, latest.storedKey)
  const changes = objectRevisions(events, written.trails, { open, values: !isSecret(target) })
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'FieldHistory',
    metadata: metadataOf(key, written, latest),
    target: shown,
    changes,
    complete: changes.at(-1)?.change === 'created',
  }
}

function metadataOf(key: string, { revision }: WrittenObject, latest: RecordedTrail): FieldHistory['metadata'] {
  const slash = key.indexOf('/')
  return {
    name: key.slice(slash + 1),
    namespace: key.slice(0, slash),
    resourceVersion: String(revision),
    creationTimestamp: new Date(latest.receivedAt).toISOString().replace(/\.\d+/, ''),
  }
}

const isSecret = ({ group, resource }: { readonly group: string; readonly resource: string }) => group === '' && resource === 'secrets'
