import type { SchedulerPlugin } from '../../../src/sdk/scheduler-plugin/scheduler-plugin.ts'

/** Loops for ever over pods that say so. */
const endless: SchedulerPlugin = {
  filter(pod) {
    while (pod.metadata.labels?.endless === 'yes') {}
    return undefined
  },
}

export default endless
