import type { Later } from '../../base/steps.ts'
import type { Target } from '../../machinery/api-call.ts'
import type { Reader } from '../../machinery/resource/definition.ts'

/** Where single objects are read, as a kubelet reads what a pod refers to. */
export interface ObjectSource {
  /** A reader that has these objects (without a name: collections) as the API has them now, and may have no others. */
  read(targets: readonly Target[]): Later<Reader>
}

/** For a reader that has everything. */
export const sourceOf = (reader: Reader): ObjectSource => ({ read: () => reader })
