import type { AdmissionPlugin } from '../../../apiserver/admission/plugin.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Pod } from '../../../resources/types/core.ts'
import { isAbout, isWrite } from '../requests-about.ts'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'

/** Adds default tolerations of nodes that are not ready or unreachable, with these times (by default five minutes). */
export const defaultTolerationSeconds = (seconds: { readonly notReady: number; readonly unreachable: number }): AdmissionPlugin<Pod> => ({
  name: 'DefaultTolerationSeconds',
  handles: (r) => isWrite(r) && isAbout(r, PODS),
  mutate({ object: pod }) {
    if (pod?.spec === undefined) return
    const present = pod.spec.tolerations ?? []
    const missing = [
      { key: NOT_READY, tolerationSeconds: seconds.notReady },
      { key: UNREACHABLE, tolerationSeconds: seconds.unreachable },
    ].filter(
      ({ key }) =>
        !present.some(
          (t) => ((t.key ?? '') === key || (t.key ?? '') === '') && ((t.effect ?? '') === 'NoExecute' || (t.effect ?? '') === ''),
        ),
    )
    if (missing.length === 0) return
    pod.spec.tolerations = [
      ...present,
      ...missing.map(({ key, tolerationSeconds }) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }) as const),
    ]
  },
})
