import { type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'
import type { PluginObserver } from '../admission/observed-plugins.ts'
import type { Operation } from '../admission/plugin.ts'
import type { StepTimer, StepType } from '../admission/step-timer.ts'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

type ByOutcome = Record<`${boolean}`, Map<string, Histogram>>
const byOutcome = (): ByOutcome => ({ true: new Map(), false: new Map() })

/** How long admission took: each plugin, and each step with all its plugins. */
export class AdmissionTimes implements StepTimer {
  readonly #monotonic: () => number
  /** By plugin and type; then by outcome and operation. */
  readonly #plugins = new Map<string, ByOutcome>()
  readonly #steps = { admit: byOutcome(), validate: byOutcome() }

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  begin(): number {
    return this.#monotonic()
  }

  end(begun: number, type: StepType, operation: Operation, rejected: boolean): void {
    observe(this.#steps[type][`${rejected}`], operation, this.#monotonic() - begun)
  }

  /** Times admission plugins. */
  readonly plugins: PluginObserver = ({ plugin, phase }) => {
    if (phase === 'reinvoke') return undefined
    const key = `${plugin} ${phase === 'mutate' ? 'admit' : 'validate'}`
    const known = this.#plugins.get(key) ?? byOutcome()
    this.#plugins.set(key, known)
    return { ended: ({ operation }, milliseconds, error) => observe(known[`${error !== undefined}`], operation, milliseconds) }
  }

  families(): Family[] {
    const plugins = [...this.#plugins].flatMap(([key, known]) => {
      const [name = '', type = ''] = key.split(' ')
      return samples(known, { name, type })
    })
    return [
      {
        name: 'apiserver_admission_controller_admission_duration_seconds',
        type: 'histogram',
        help: 'Time in each admission plugin.',
        samples: plugins,
      },
      {
        name: 'apiserver_admission_step_admission_duration_seconds',
        type: 'histogram',
        help: 'Time in all plugins that mutate, and in all that validate.',
        samples: [...samples(this.#steps.admit, { type: 'admit' }), ...samples(this.#steps.validate, { type: 'validate' })],
      },
    ]
  }
}

function observe(histograms: Map<string, Histogram>, operation: string, milliseconds: number): void {
  let histogram = histograms.get(operation)
  if (histogram === undefined) {
    histogram = new Histogram(BOUNDS)
    histograms.set(operation, histogram)
  }
  histogram.observe(milliseconds / 1000)
}

const samples = (known: ByOutcome, own: Readonly<Record<string, string>>): Sample[] =>
  (['false', 'true'] as const).flatMap((rejected) =>
    [...known[rejected]].map(([operation, histogram]): Sample => [labels({ ...own, operation, rejected }), histogram]),
  )
