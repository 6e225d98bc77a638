import type { Family } from '../../base/exposition.ts'
import { CounterMetric, HistogramMetric, type MetricInit } from '../../base/metrics.ts'

/** Sixteen buckets from a millisecond on, in seconds. */
export const FROM_ONE_MS: readonly number[] = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i)

/** What controllers count, under the names of kube-controller-manager. A controller that starts again counts on. */
export class ControllerMetrics {
  readonly #counted = new Map<string, { readonly family: Family }>()
  readonly #read = new Map<string, () => readonly Family[]>()

  counter(init: MetricInit): CounterMetric {
    return this.#of(init.name, () => new CounterMetric(init))
  }

  histograms(init: MetricInit & { readonly bounds: readonly number[] }): HistogramMetric {
    return this.#of(init.name, () => new HistogramMetric(init))
  }

  /** Families that are computed when the metrics are asked for, by the name of their controller. */
  read(controller: string, families: () => readonly Family[]): void {
    this.#read.set(controller, families)
  }

  families(): readonly Family[] {
    return [...[...this.#counted.values()].map(({ family }) => family), ...[...this.#read.values()].flatMap((read) => read())]
  }

  #of<M extends { readonly family: Family }>(name: string, make: () => M): M {
    const known = this.#counted.get(name) ?? make()
    this.#counted.set(name, known)
    // A name always has the same type.
    return known as M
  }
}
