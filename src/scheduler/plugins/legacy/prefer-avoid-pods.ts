import type { Node } from '../../../resources/types/core.ts'
import type { Plugin } from '../../framework/plugin.ts'

const ANNOTATION = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const CONTROLLERS = new Set(['ReplicationController', 'ReplicaSet'])

/** NodePreferAvoidPodsPriority: an annotation of a node names controllers whose pods should avoid it. */
export function preferAvoidPods(name: string): Plugin {
  return {
    name,
    scope: 'cluster',
    score(pod, { table }) {
      const owner = pod.pod.metadata.ownerReferences?.find((o) => o.controller === true)
      if (owner === undefined || !CONTROLLERS.has(owner.kind)) return undefined
      return { of: (row) => (avoids(table.nodes[row], owner) ? 0 : 100) }
    },
  }
}

function avoids(node: Readonly<Node> | undefined, owner: { readonly kind: string; readonly uid: string }): boolean {
  const text = node?.metadata.annotations?.[ANNOTATION]
  if (text === undefined) return false
  try {
    const said = JSON.parse(text) as {
      preferAvoidPods?: { podSignature?: { podController?: { kind?: string; uid?: string } } }[]
    } | null
    return (said?.preferAvoidPods ?? []).some(({ podSignature }) => {
      const { kind, uid } = podSignature?.podController ?? {}
      return kind === owner.kind && uid === owner.uid
    })
  } catch {
    // The annotation cannot be parsed: it is ignored.
    return false
  }
}
