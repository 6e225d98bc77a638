import type { AdmissionPlugin } from '../../../apiserver/admission/plugin.ts'
import { NODES } from '../../../resources/refs.ts'
import type { Node, Taint } from '../../../resources/types/core.ts'
import { isAbout } from '../requests-about.ts'

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Taints a new node until the node controller has found it ready. */
export const taintNodesByCondition: AdmissionPlugin<Node> = {
  name: 'TaintNodesByCondition',
  handles: (r) => r.operation === 'CREATE' && isAbout(r, NODES),
  mutate({ object: node }) {
    if (node === undefined) return
    const taints = node.spec?.taints ?? []
    if (taints.some((t) => t.key === NOT_READY.key && t.effect === NOT_READY.effect)) return
    node.spec = { ...node.spec, taints: [...taints, { ...NOT_READY }] }
  },
}
