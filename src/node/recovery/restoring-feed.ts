import type { NodeFeed } from '../feed.ts'
import { DEFINITION_ANNOTATION, definitionOf } from '../pod/plan/container-record.ts'
import { restoreRecords } from '../pod/plan/restore-records.ts'
import { resolveSandbox } from '../pod/spec/resolve-container.ts'
import type { ContainerSpec } from '../runtime/container-spec.ts'
import type { RestoredPod, SimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts'
import { uidOnNode } from '../static-pods/mirror-pods.ts'
import { isTerminal, type Pod, podRef } from '../types/pod.ts'

/**
 * The feed for a node whose runtime is in the memory of this process. Containers that ran before this process started, according to their
 * pods' statuses, are restored before the agent gets their pods, as if they had outlived it on a real node.
 */
export function restoringFeed(feed: NodeFeed, runtime: Pick<SimulatedRuntime, 'restore'>): NodeFeed {
  const seen = new Set<string>()
  return {
    synced: feed.synced,
    pod: (nodeName, namespace, name) => feed.pod(nodeName, namespace, name),
    services: (namespace) => feed.services(namespace),
    follow(nodeName, follower) {
      return feed.follow(nodeName, {
        node: (node) => follower.node(node),
        pod(pod) {
          const uid = pod.metadata.uid ?? ''
          if (!seen.has(uid)) {
            seen.add(uid)
            const ran = restoredPod(pod)
            if (ran !== undefined) runtime.restore(ran)
          }
          follower.pod(pod)
        },
        podGone(pod) {
          seen.delete(pod.metadata.uid ?? '')
          follower.podGone(pod)
        },
      })
    },
  }
}

/** The containers that ran according to the pod's status; undefined if there were none. */
export function restoredPod(object: Pod): RestoredPod | undefined {
  // The containers of a mirror pod run under the UID of its static pod.
  const pod: Pod = { ...object, metadata: { ...object.metadata, uid: uidOnNode(object) } }
  if (isTerminal(pod)) return undefined
  const running = restoreRecords(pod).flatMap((r) => (r.state.kind === 'running' && r.state.id !== '' ? [{ ...r, state: r.state }] : []))
  if (running.length === 0) return undefined
  const ips = pod.spec.hostNetwork ? [] : (pod.status.podIPs ?? []).map(({ ip }) => ip)
  const containers = running.map(({ container, state, restartCount, image }) => {
    const spec: ContainerSpec = {
      pod: podRef(pod),
      name: container.name,
      attempt: restartCount,
      image: container.image,
      imageId: image?.id ?? container.image,
      command: container.command ?? [],
      args: container.args ?? [],
      environment: [],
      mounts: [],
      devices: [],
      cdiDevices: [],
      labels: {},
      annotations: { [DEFINITION_ANNOTATION]: definitionOf(container) },
      resources: {},
      user: { supplementalGroups: [] },
      stdin: container.stdin === true,
      tty: container.tty === true,
    }
    return { spec, id: state.id, startedAtMs: state.startedAtMs }
  })
  return { sandbox: { spec: resolveSandbox(pod, 0, { servers: [], searches: [], options: [] }), ips }, containers }
}
