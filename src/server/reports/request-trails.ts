import type { ReportCollection, ReportedObject, ReportReader } from '../../apiserver/extension-points.ts'
import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import type { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import { mayGet } from './may-get.ts'
import { trailObject } from './trail-object.ts'

/** Serves `requesttrails` from what the recorder keeps. */
export const requestTrails = (recorder: TrailRecorder): ReportCollection => ({
  changes: recorder.changes,
  keys: () => recorder.names(),
  watched: () => recorder.watched(),
  async objects(names, reader) {
    const allowed = rightsOf(reader)
    const found = new Map<string, ReportedObject>()
    for (const name of names) {
      const trail = recorder.of(name)
      if (trail === undefined) continue
      const open = await allowed(trail)
      found.set(name, { object: trailObject(trail, { open, revision: recorder.changes.revision }), since: trail.since })
    }
    return found
  },
})

/** Whether the reader may get the target of a trail, and so see what was written there. Paths that are no resources hold nothing. */
function rightsOf(reader: ReportReader): (trail: RecordedTrail) => Promise<boolean> | boolean {
  const may = mayGet(reader)
  return ({ info: { target }, storedKey }) => {
    if (target === undefined) return true
    const name = target.name || (storedKey?.slice(storedKey.indexOf('/') + 1) ?? '')
    return may({ ...target, name })
  }
}
