import type { PluginFactory } from '../framework/plugin.ts'

/** The more important pod first, then the one that waits longer. */
export const prioritySort: PluginFactory = () => ({
  name: 'PrioritySort',
  scope: 'node',
  queueSort(a, b) {
    if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority
    return a.since !== b.since ? a.since < b.since : a.serial < b.serial
  },
})
