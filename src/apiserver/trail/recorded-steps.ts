import type { ValueSnapshot } from '../../machinery/json/value-snapshot.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { changesSince, snapshotOf } from '../admission/object-changes.ts'
import type { PluginObserver } from '../admission/observed-plugins.ts'
import type { AdmissionRequest } from '../admission/plugin.ts'
import type { RecordedStep } from '../request/trail.ts'

/** The object as the last plugin left it; undefined: it is not compared. */
const left = new WeakMap<AdmissionRequest, ValueSnapshot | undefined>()

/** While somebody watches trails: what each plugin did to a request, and what it changed. */
export const recordedSteps: PluginObserver = (of) => ({
  begins(request) {
    if (!of.checksOnly && request.trail?.detailed === true && !left.has(request)) left.set(request, snapshotOf(request.object))
  },
  ended(request, milliseconds, error) {
    if (request.trail?.detailed !== true) return
    const changed = of.checksOnly ? undefined : changesOf(request)
    if (error === undefined && changed === undefined) request.trail.passedStep(of, milliseconds)
    else request.trail.step({ phase: of.phase, plugin: of.plugin, ...outcomeOf(error), milliseconds, ...changed })
  },
})

function outcomeOf(error: unknown): Pick<RecordedStep, 'outcome' | 'message'> {
  if (error === undefined) return { outcome: 'passed' }
  return error instanceof StatusError && error.code < 500
    ? { outcome: 'refused', message: error.message }
    : { outcome: 'failed', message: String(error) }
}

function changesOf(request: AdmissionRequest): Pick<RecordedStep, 'changes' | 'unlisted'> | undefined {
  const before = left.get(request)
  if (before === undefined || before.equals(request.object)) return undefined
  const after = snapshotOf(request.object)
  if (after === undefined) return undefined
  left.set(request, after)
  const found = changesSince(before, request.object)
  return found.changes === undefined ? undefined : found
}
