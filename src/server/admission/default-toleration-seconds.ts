import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'

const SECONDS = 300
const KEYS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

interface Toleration {
  key?: string
  operator?: string
  effect?: string
  tolerationSeconds?: number
}

/** A pod that says nothing of it stays five minutes on a node that is not ready or not reachable. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: (r) =>
    r.resource.resource === 'pods' &&
    r.resource.group === '' &&
    r.subresource === '' &&
    (r.operation === 'CREATE' || r.operation === 'UPDATE'),
  mutate({ object: pod }) {
    if (pod?.spec === undefined) return
    const present: readonly Toleration[] = pod.spec.tolerations ?? []
    const missing = KEYS.filter(
      (key) =>
        !present.some(
          (t) => ((t.key ?? '') === key || (t.key ?? '') === '') && ((t.effect ?? '') === 'NoExecute' || (t.effect ?? '') === ''),
        ),
    )
    if (missing.length === 0) return
    pod.spec.tolerations = [
      ...present,
      ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS })),
    ]
  },
}
