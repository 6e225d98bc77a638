import { type Family, Histograms, labels, type Sample } from '../../base/exposition.ts'
import type { PluginObserver } from '../admission/observed-plugins.ts'
import type { Operation } from '../admission/plugin.ts'
import type { StepTimer, StepType } from '../admission/step-timer.ts'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

type ByOutcome = Record<`${boolean}`, Histograms>
const byOutcome = (): ByOutcome => ({ true: new Histograms(BOUNDS), false: new Histograms(BOUNDS) })

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
    this.#steps[type][`${rejected}`].observe(operation, (this.#monotonic() - begun) / 1000)
  }

  /** Times admission plugins. */
  readonly plugins: PluginObserver = ({ plugin, phase }) => {
    if (phase === 'reinvoke') return undefined
    const key = `${plugin} ${phase === 'mutate' ? 'admit' : 'validate'}`
    const known = this.#plugins.get(key) ?? byOutcome()
    this.#plugins.set(key, known)
    return { ended: ({ operation }, milliseconds, error) => known[`${error !== undefined}`].observe(operation, milliseconds / 1000) }
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

const samples = (known: ByOutcome, own: Readonly<Record<string, string>>): Sample[] =>
  (['false', 'true'] as const).flatMap((rejected) =>
    [...known[rejected]].map(([operation, histogram]): Sample => [labels({ ...own, operation, rejected }), histogram]),
  )
