import { AS_GO, encodeJson } from '../../../machinery/json/strict-json.ts'
import type { Container, Pod } from '../../types/pod.ts'

/**
 * What the kubelet writes on containers, for those who look at the runtime (crictl, collectors) and for the agent after its restart.
 * Pure.
 */
export function containerAnnotations(pod: Pod, container: Container, attempt: number): Readonly<Record<string, string>> {
  const { terminationMessagePath = '/dev/termination-log', terminationMessagePolicy = 'File', lifecycle, ports } = container
  const grace = pod.metadata.deletionGracePeriodSeconds
  const { terminationGracePeriodSeconds } = pod.spec
  return {
    'io.kubernetes.container.restartCount': String(attempt),
    'io.kubernetes.container.terminationMessagePath': terminationMessagePath,
    'io.kubernetes.container.terminationMessagePolicy': terminationMessagePolicy,
    ...(grace !== undefined && { 'io.kubernetes.pod.deletionGracePeriod': String(grace) }),
    ...(terminationGracePeriodSeconds !== undefined && {
      'io.kubernetes.pod.terminationGracePeriod': String(terminationGracePeriodSeconds),
    }),
    ...(lifecycle?.preStop && { 'io.kubernetes.container.preStopHandler': encodeJson(lifecycle.preStop, AS_GO) }),
    ...(ports && ports.length > 0 && { 'io.kubernetes.container.ports': encodeJson(ports, AS_GO) }),
  }
}
