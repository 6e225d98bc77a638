import type { PluginFactory } from '../framework/plugin.ts'

/** Keeps a pod with gates out of the queue until the last is removed. */
export const schedulingGates: PluginFactory = () => ({
  name: 'SchedulingGates',
  scope: 'node',
  preEnqueue: (pod) =>
    (pod.pod.spec.schedulingGates?.length ?? 0) > 0 ? 'Scheduling is blocked due to non-empty scheduling gates' : undefined,
  hints: { 'pod-updated': (pod) => (pod.pod.spec.schedulingGates?.length ?? 0) === 0 },
})
