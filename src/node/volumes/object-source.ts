import type { Later } from '../../base/steps.ts'
import type { Target } from '../../machinery/api-call.ts'
import type { Reader } from '../../machinery/resource/definition.ts'

/** Reads single objects, as a kubelet reads what a pod refers to. */
export interface ObjectSource {
  /** A reader that has the current version of these objects (without a name: collections), and maybe no others. */
  read(targets: readonly Target[]): Later<Reader>
}

/** For a reader that has all objects. */
export const sourceOf = (reader: Reader): ObjectSource => ({ read: () => reader })
