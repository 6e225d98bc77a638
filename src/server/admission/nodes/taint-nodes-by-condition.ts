import { type AdmissionPlugin, isAbout } from '../../../apiserver/admission/plugin.ts'

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** A new node takes no pods until somebody has seen that it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: (r) => r.operation === 'CREATE' && isAbout(r, '', 'nodes'),
  mutate({ object: node }) {
    if (node === undefined) return
    const taints: readonly { key?: string; effect?: string }[] = node.spec?.taints ?? []
    if (taints.some((t) => t.key === NOT_READY.key && t.effect === NOT_READY.effect)) return
    node.spec = { ...node.spec, taints: [...taints, { ...NOT_READY }] }
  },
}
