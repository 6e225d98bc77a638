import { type Later, whenEnded } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { valueChanges } from '../../machinery/json/value-changes.ts'
import { cloneJson } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { isHeavy } from '../../machinery/weight.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/plugin.ts'
import type { RecordedStep } from '../request/trail.ts'

/** What is listed of the changes of one plugin. */
const LIMITS = { most: 32, mostText: 512 }

/** The object as the last plugin left it; a heavy one is not compared. */
const left = new WeakMap<AdmissionRequest, unknown>()

type Run = (request: AdmissionRequest) => Later<void>

/** The same plugins; what each of them does is recorded while somebody watches trails. */
export function recordedPlugins(plugins: readonly AdmissionPlugin[], monotonic: () => number): AdmissionPlugin[] {
  const recorded = (plugin: string, phase: RecordedStep['phase'], run: Run): Run => {
    const recordedRun = recordedStep({ plugin, phase, run, monotonic })
    return (request) => (request.trail?.detailed === true ? recordedRun(request) : run(request))
  }
  return plugins.map((plugin) => ({
    ...plugin,
    ...(plugin.mutate && { mutate: recorded(plugin.name, 'mutate', plugin.mutate.bind(plugin)) }),
    ...(plugin.reinvoke && { reinvoke: recorded(plugin.name, 'reinvoke', plugin.reinvoke.bind(plugin)) }),
    ...(plugin.validate && { validate: recorded(plugin.name, 'validate', plugin.validate.bind(plugin)) }),
  }))
}

interface PluginRun extends Pick<RecordedStep, 'plugin' | 'phase'> {
  readonly run: Run
  readonly monotonic: () => number
}

function recordedStep({ plugin, phase, run, monotonic }: PluginRun): Run {
  return (request) => {
    if (phase !== 'validate' && !left.has(request)) leave(request)
    const started = monotonic()
    return whenEnded(
      () => run(request),
      (error) => {
        const milliseconds = monotonic() - started
        const changed = phase === 'validate' ? undefined : changesOf(request)
        request.trail?.step({ phase, plugin, ...outcomeOf(error), milliseconds, ...changed })
      },
    )
  }
}

function outcomeOf(error: unknown): Pick<RecordedStep, 'outcome' | 'message'> {
  if (error === undefined) return { outcome: 'passed' }
  return error instanceof StatusError && error.code < 500
    ? { outcome: 'refused', message: error.message.slice(0, LIMITS.mostText) }
    : { outcome: 'failed', message: String(error).slice(0, LIMITS.mostText) }
}

function leave(request: AdmissionRequest): void {
  left.set(request, isHeavy(request.object) ? undefined : cloneJson(request.object))
}

function changesOf(request: AdmissionRequest): Pick<RecordedStep, 'changes' | 'unlisted'> {
  const before = left.get(request)
  if (before === undefined || isHeavy(request.object) || equalJson(before, request.object)) return {}
  const { changes, unlisted } = valueChanges(before, request.object, LIMITS)
  leave(request)
  return { changes, ...(unlisted > 0 && { unlisted }) }
}
