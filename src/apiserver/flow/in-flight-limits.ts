import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import { READ_VERBS } from '../request/read-verbs.ts'
import type { FlowControl } from './flow-control.ts'
import { tooManyRequests } from './too-many-requests.ts'

/** Most requests at once; 0: no limit. */
export interface InFlightConfig {
  readonly reading: number
  readonly writing: number
}

/**
 * What kube-apiserver does without priority and fairness: requests that read have one limit and all others another. A request beyond its
 * limit does not wait: it is rejected, unless `system:masters` sent it.
 */
export function createInFlightLimits({ reading, writing }: InFlightConfig): FlowControl {
  const reads = { limit: reading, running: 0 }
  const writes = { limit: writing, running: 0 }
  return {
    isFair: false,
    classify: () => undefined,
    enter({ user, attributes }) {
      const requests = READ_VERBS.has(attributes.verb) ? reads : writes
      if (requests.limit > 0 && requests.running >= requests.limit) {
        if (user.groups.includes(SYSTEM_MASTERS)) return () => {}
        throw tooManyRequests()
      }
      requests.running++
      return () => {
        requests.running--
      }
    },
    metrics: () => [],
  }
}
