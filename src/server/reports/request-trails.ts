import type { ReportCollection, ReportedObject, ReportReader } from '../../apiserver/extension-points.ts'
import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import type { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import type { WatchRegistry } from '../../apiserver/trail/watch-registry.ts'
import type { Later } from '../../base/steps.ts'
import type { TrailDelivery } from '../../resources/bowsprit/request-trail.ts'
import { mayGet } from './may-get.ts'
import { MOST_TEXT, nameIn, trailObject, trailOutline } from './trail-object.ts'

/** Serves `requesttrails` from what the recorder keeps. */
export const requestTrails = (recorder: TrailRecorder, watches: WatchRegistry | undefined): ReportCollection => ({
  changes: recorder.changes,
  refreshed: async () => recorder.follow(),
  keys: () => recorder.names(),
  watched: () => recorder.watched(),
  outline(name) {
    const trail = recorder.of(name)
    return trail && trailOutline(trail)
  },
  async objects(names, reader) {
    // While an authorizer is asked, no trail may become that of another request.
    using _ = recorder.followed()
    const allowed = rightsOf(reader)
    const found = new Map<string, ReportedObject>()
    for (const name of names) {
      const trail = recorder.of(name)
      if (trail === undefined) continue
      const open = await allowed(trail)
      const object = trailObject(trail, {
        open,
        revision: recorder.changes.revision,
        delivered: deliveryOf(trail, watches),
        causes: recorder.causes,
      })
      found.set(name, { object, since: trail.since })
    }
    return found
  },
})

function deliveryOf({ info: { target }, storedKey }: RecordedTrail, watches: WatchRegistry | undefined): TrailDelivery | undefined {
  if (target === undefined || storedKey === undefined || watches === undefined) return undefined
  const { readers, ...counts } = watches.receiversOf(target, nameIn(storedKey))
  const to = readers.map(({ userAgent, ...reader }) => ({
    ...reader,
    ...(userAgent !== '' && { userAgent: userAgent.slice(0, MOST_TEXT) }),
  }))
  return { ...counts, to }
}

/** Whether the reader may get the target of a trail, and so see what was written there. Paths that are no resources hold nothing. */
function rightsOf(reader: ReportReader): (trail: RecordedTrail) => Later<boolean> {
  const may = mayGet(reader)
  return ({ info: { target }, storedKey }) => {
    if (target === undefined) return true
    const name = target.name || nameIn(storedKey ?? '')
    return may({ ...target, name })
  }
}
