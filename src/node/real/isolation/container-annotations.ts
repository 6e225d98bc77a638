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
    ...(lifecycle?.preStop && { 'io.kubernetes.container.preStopHandler': goJson(lifecycle.preStop) }),
    ...(ports && ports.length > 0 && { 'io.kubernetes.container.ports': goJson(ports) }),
  }
}

/** JSON as Go writes it: without characters that end a script. */
const goJson = (value: unknown): string => JSON.stringify(value).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
