import { PODS } from '../../sdk/client/refs.ts'
import type { PluginFactory } from '../framework/plugin.ts'

/** Binds by the pod's subresource `binding`. */
export const defaultBinder: PluginFactory = () => ({
  name: 'DefaultBinder',
  scope: 'node',
  async bind({ namespace, pod, uid }, node, { client }) {
    const { name = '' } = pod.metadata
    await client.create(
      { ...PODS, namespace, name, subresource: 'binding' },
      { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target: { kind: 'Node', name: node } },
    )
  },
})
