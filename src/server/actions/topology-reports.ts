import type { Report } from '../../apiserver/extension-points.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'

/** What the nodes of this process tell of a pod that is bound to them; undefined: its node is none of them, or has not come up. */
export type TopologyReports = (pod: KubeObject) => KubeObject | undefined

/** Answers `topologyreports`: asks the node of the pod. */
export const topologyReport =
  (reports: TopologyReports, reader: Reader): Report =>
  async ({ namespace, name }) => {
    const pod = reader.get('', 'pods', namespace, name)
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name)
    const report = reports(pod)
    if (report !== undefined) return report
    const node = pod.spec?.nodeName
    const message =
      node === undefined ? `pod ${name} is on no node yet` : `node ${node} of pod ${name} does not run in this process, or not now`
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
  }
