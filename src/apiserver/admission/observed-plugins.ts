import { type Later, whenEnded } from '../../base/steps.ts'
import type { PluginStep } from '../request/trail.ts'
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts'

/** What a plugin does at one time of a write. */
export interface PluginPhase extends PluginStep {
  /** The plugin does the same when it validates: it changes nothing. */
  readonly checksOnly: boolean
}

/** Observes the runs of one plugin in one phase. */
export interface RunObserver {
  begins?(request: AdmissionRequest): void
  /** `error`: why the plugin refused the request, or failed. */
  ended(request: AdmissionRequest, milliseconds: number, error?: unknown): void
}

/** Called once for each plugin and phase; undefined: it is not observed. */
export type PluginObserver = (of: PluginPhase) => RunObserver | undefined

type Run = (request: AdmissionRequest) => Later<void>

/** The same plugins, with each of their runs observed by all observers. */
export function observedPlugins(
  plugins: readonly AdmissionPlugin[],
  observers: readonly PluginObserver[],
  monotonic: () => number,
): AdmissionPlugin[] {
  const observed = (plugin: AdmissionPlugin, phase: PluginPhase['phase']) => {
    const run = phase === 'reinvoke' ? (plugin.reinvoke ?? plugin.mutate) : plugin[phase]
    if (run === undefined) return {}
    const of = { plugin: plugin.name, phase, checksOnly: run === plugin.validate }
    return { [phase]: observedRun(run.bind(plugin), observers.map((observe) => observe(of)).filter(isPresent), monotonic) }
  }
  return plugins.map((plugin) => ({
    ...plugin,
    ...observed(plugin, 'mutate'),
    ...observed(plugin, 'reinvoke'),
    ...observed(plugin, 'validate'),
  }))
}

const isPresent = (observer: RunObserver | undefined): observer is RunObserver => observer !== undefined

function observedRun(run: Run, observers: readonly RunObserver[], monotonic: () => number): Run {
  if (observers.length === 0) return run
  const ended = (request: AdmissionRequest, started: number, error?: unknown) => {
    const milliseconds = monotonic() - started
    for (const observer of observers) observer.ended(request, milliseconds, error)
  }
  const endedLater = (request: AdmissionRequest, started: number, pending: Promise<void>) =>
    whenEnded(
      () => pending,
      (error) => ended(request, started, error),
    )
  // Two dozen plugins see each write, and few have to wait: closures would cost all of them.
  return (request) => {
    for (const observer of observers) observer.begins?.(request)
    const started = monotonic()
    try {
      const pending = run(request)
      if (pending instanceof Promise) return endedLater(request, started, pending)
    } catch (error) {
      ended(request, started, error)
      throw error
    }
    ended(request, started)
  }
}
