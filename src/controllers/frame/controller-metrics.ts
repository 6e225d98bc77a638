import { exponentialBounds, type Family } from '../../base/exposition.ts'
import { MetricSet } from '../../base/metrics.ts'

/** From 1 ms to 16 s. */
export const FROM_ONE_MS = exponentialBounds(0.001, 2, 15)

/** What controllers count, under the names of kube-controller-manager. A controller that starts again counts on. */
export class ControllerMetrics extends MetricSet {
  readonly #read = new Map<string, () => readonly Family[]>()

  /** Families that are computed when the metrics are asked for, by the name of their controller. */
  read(controller: string, families: () => readonly Family[]): void {
    this.#read.set(controller, families)
  }

  override families(): Family[] {
    return [...super.families(), ...[...this.#read.values()].flatMap((read) => read())]
  }
}
