import { bindPod } from '../../sdk/client/subresources.ts'
import type { PluginFactory } from '../framework/plugin.ts'

/** Binds by the pod's subresource `binding`. */
export const defaultBinder: PluginFactory = () => ({
  name: 'DefaultBinder',
  scope: 'node',
  bind: ({ namespace, pod, uid }, node, { client }) => bindPod(client, { namespace, name: pod.metadata.name ?? '', uid }, node),
})
