import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { notFound } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { Claim } from './claim.ts'
import { DynamicResources } from './dynamic-resources.ts'

export const DRIVER = 'gpu.example.com'
/** A signal that is never aborted. */
export const never = new AbortController().signal

/** A pod that uses these claims. */
export function podOf(name: string, claims: readonly string[], container: Partial<Container> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: {
      resourceClaims: claims.map((c) => ({ name: c, resourceClaimName: c })),
      containers: [{ name: 'main', image: 'app', resources: { claims: claims.map((c) => ({ name: c })) }, ...container }],
    },
    status: {},
  }
}

/** A claim that is allocated and reserved. */
export function claimOf(name: string, pods: readonly string[], drivers: readonly string[] = [DRIVER]): Claim {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    status: {
      allocation: { devices: { results: drivers.map((driver) => ({ driver })) } },
      reservedFor: pods.map((p) => ({ uid: `uid-${p}` })),
    },
  }
}

/** A node's claims over an in-memory API, and the driver calls. */
export function openClaims(claims: readonly Claim[], options: { readonly text?: string; readonly clock?: VirtualClock } = {}) {
  const clock = options.clock ?? new VirtualClock()
  const objects = new Map(claims.map((c) => [c.metadata.name, c]))
  const wiped: string[] = []
  const reported: string[] = []
  const looked: string[] = []
  const file = { text: options.text }
  const client = {
    async get({ resource, name }: { readonly resource: string; readonly name?: string }) {
      if (resource === 'nodes') return {}
      const object = objects.get(name ?? '')
      if (object === undefined) throw notFound({ group: 'resource.k8s.io', resource: 'resourceclaims' }, name ?? '')
      return object
    },
    async deleteCollection(_: object, { fieldSelector }: { readonly fieldSelector: string }) {
      wiped.push(fieldSelector)
    },
  } as unknown as Client
  const checkpoint = {
    read: () => file.text,
    write: (text: string) => {
      file.text = text
    },
  }
  const notify = (reason: string) => void reported.push(reason)
  const node = new DynamicResources({ client, clock, log: silentLogger, nodeName: 'node-1', notify, checkpoint })
  node.watchPods((uid) => looked.push(uid), never)
  node.start()
  const event = async (pod: Pod) => (await node.beforeSandbox(pod, never))?.message
  return { node, clock, objects, wiped, reported, looked, file, event }
}
