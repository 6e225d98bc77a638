import type { Report } from '../../apiserver/extension-points.ts'
import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'

/** Topology reports by the nodes of this process; undefined: the pod's node is not in this process, or has not started. */
export type TopologyReports = (pod: Pod) => Later<KubeObject | undefined>

/** Serves `topologyreports` from the pod's node. */
export const topologyReport =
  (reports: TopologyReports, reader: Reader): Report =>
  async ({ namespace, name }) => {
    const pod = readObject(reader, PODS, namespace, name)
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name)
    const report = await reports(pod)
    if (report !== undefined) return report
    const node = pod.spec?.nodeName
    const message =
      node === undefined ? `pod ${name} is on no node yet` : `node ${node} of pod ${name} does not run in this process, or not now`
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
  }
