import type { Family } from '../../base/exposition.ts'
import { MetricSet } from '../../base/metrics.ts'
import type { PluginObserver } from '../admission/observed-plugins.ts'
import type { Operation } from '../admission/plugin.ts'
import type { StepTimer, StepType } from '../admission/step-timer.ts'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

/** How long admission took: each plugin, and each step with all its plugins. */
export class AdmissionTimes implements StepTimer {
  readonly #monotonic: () => number
  readonly #metrics = new MetricSet()
  readonly #plugins = this.#metrics.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Time in each admission plugin.',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds: BOUNDS,
    stability: 'STABLE',
  })
  readonly #steps = this.#metrics.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Time in all plugins that mutate, and in all that validate.',
    labels: ['operation', 'rejected', 'type'],
    bounds: BOUNDS,
    stability: 'STABLE',
  })

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  begin(): number {
    return this.#monotonic()
  }

  end(begun: number, type: StepType, operation: Operation, rejected: boolean): void {
    this.#steps.observe((this.#monotonic() - begun) / 1000, [operation, `${rejected}`, type])
  }

  /** Times admission plugins. */
  readonly plugins: PluginObserver = ({ plugin, phase }) => {
    const type = phase === 'validate' ? 'validate' : 'admit'
    return {
      ended: ({ operation }, milliseconds, error) =>
        this.#plugins.observe(milliseconds / 1000, [plugin, operation, `${error !== undefined}`, type]),
    }
  }

  families(): Family[] {
    return this.#metrics.families()
  }
}
