import { controller, kinds } from 'bowsprit/sdk'
import type { ConfigMap, Deployment } from 'bowsprit/types'
import { Gadget } from './kind.ts'

/** A Gadget is a ConfigMap and a Deployment that reads it. Say what is to be there: it is made, mended and removed for you. */
export const gadgets = controller({
  for: Gadget,
  owns: [kinds.CONFIG_MAP, kinds.DEPLOYMENT],
  reconcile({ object, children }) {
    const [deployment] = children(kinds.DEPLOYMENT)
    const readyReplicas: number = deployment?.status?.readyReplicas ?? 0
    const ready = readyReplicas >= object.spec.replicas
    return {
      children: [settings(object), servers(object)],
      status: { readyReplicas },
      conditions: [
        { type: 'Ready', status: ready, reason: ready ? 'AllReady' : 'Waiting', message: `${readyReplicas} of ${object.spec.replicas}` },
      ],
    }
  },
})

const settings = ({ metadata: { name = '' }, spec }: Readonly<Gadget>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${name}-settings` },
  data: { message: spec.message },
})

const servers = ({ metadata: { name = '' }, spec }: Readonly<Gadget>): Deployment => {
  const labels = { app: `gadget-${name}` }
  const container = { name: 'server', image: 'nginx', envFrom: [{ configMapRef: { name: `${name}-settings` } }] }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${name}-server`, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  }
}
