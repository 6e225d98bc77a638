import type { SchedulerPlugin } from '../../../src/sdk/scheduler-plugin/scheduler-plugin.ts'

/** Loops for ever for pods with a certain label. */
const endless: SchedulerPlugin = {
  filter(pod) {
    while (pod.metadata.labels?.endless === 'yes') {}
    return undefined
  },
}

export default endless
