import type { PluginFactory } from '../framework/plugin.ts'

/** Resource claims (resource.k8s.io). Claims are not allocated yet; without claims it takes part as upstream's does. */
export const dynamicResources: PluginFactory = () => ({
  name: 'DynamicResources',
  scope: 'node',
  score: () => ({ of: () => 0, nothing: true }),
  // Upstream's plugin finds nothing prepared when the pod was refused before it was asked.
  postFilter: ({ refused }) =>
    refused ? { kind: 'error', message: 'not found' } : { kind: 'failed', message: 'no new claims to deallocate' },
})
