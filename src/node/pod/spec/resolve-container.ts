import { withoutTrailing } from '../../../base/without-trailing.ts'
import type { VolumeMount } from '../../../resources/types/core.ts'
import { fitsExec } from '../../../shell/processes/exec-limits.ts'
import type { ContainerSpec, ContainerUser, DnsConfig, Mount, SandboxSpec } from '../../runtime/container-spec.ts'
import type { Image } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import { type Container, type Pod, podRef } from '../../types/pod.ts'
import { DEFINITION_ANNOTATION, definitionOf } from '../plan/container-record.ts'
import { ArgumentListError, expandReferences } from './expand.ts'
import { EnvironmentError, type EnvironmentInput, resolveEnvironment } from './resolve-environment.ts'
import { containerResources, withPodLimits } from './resolve-resources.ts'

export interface ContainerInput extends EnvironmentInput {
  readonly attempt: number
  readonly image: Image
}

/**
 * The specification of a container for the runtime, with all references resolved. Pure.
 * @throws {EnvironmentError} if something that it needs is missing
 * @throws {ArgumentListError} if the kernel would refuse its arguments and variables
 */
export function resolveContainer(input: ContainerInput): ContainerSpec {
  const { pod, container, attempt, image } = input
  const environment = resolveEnvironment(input)
  const values = new Map(environment.map((e) => [e.name, e.value]))
  const expand = (text: string) => expandReferences(text, (name) => values.get(name))
  const command = (container.command ?? []).map(expand)
  const args = (container.args ?? []).map(expand)
  if (!fitsExec([...command, ...args], Object.fromEntries(values))) throw new ArgumentListError()
  const { stopSignal } = container.lifecycle ?? {}
  const { uid, name, namespace } = podRef(pod)
  return {
    pod: { uid, name, namespace },
    name: container.name,
    attempt,
    image: container.image,
    imageId: image.id,
    command,
    args,
    ...(container.workingDir !== undefined && { workingDir: container.workingDir }),
    environment,
    mounts: (container.volumeMounts ?? []).map((m) => mountOf(m, values)),
    devices: [],
    cdiDevices: [],
    labels: {
      'io.kubernetes.container.name': container.name,
      'io.kubernetes.pod.name': name,
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.uid': uid,
    },
    annotations: { [DEFINITION_ANNOTATION]: definitionOf(container) },
    resources: containerResources({ resources: withPodLimits(container.resources ?? {}, pod.spec.resources?.limits) }),
    user: userOf(pod, container),
    stdin: container.stdin === true,
    tty: container.tty === true,
    ...(stopSignal !== undefined && { stopSignal }),
    ...processesOf(pod, container),
    // `Always` marks a sidecar only for init containers.
    ...(pod.spec.initContainers?.some(({ name }) => name === container.name) &&
      (container.restartPolicy === 'Always' ? { sidecar: true } : { init: true })),
  }
}

/** A shared process namespace applies to all containers, including those with a `targetContainerName`. */
function processesOf(pod: Pod, { targetContainerName }: Container): Pick<ContainerSpec, 'processes'> {
  if (pod.spec.shareProcessNamespace === true) return { processes: 'pod' }
  return targetContainerName ? { processes: { of: targetContainerName } } : {}
}

function userOf(pod: Pod, container: Container): ContainerUser {
  const { runAsUser, runAsGroup } = { ...pod.spec.securityContext, ...container.securityContext }
  const { fsGroup, supplementalGroups = [] } = pod.spec.securityContext ?? {}
  return {
    ...(runAsUser !== undefined && { uid: runAsUser }),
    ...(runAsGroup !== undefined && { gid: runAsGroup }),
    supplementalGroups: fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups],
  }
}

function mountOf(mount: VolumeMount, values: ReadonlyMap<string, string>): Mount {
  const { mountPropagation } = mount
  const propagation = mountPropagation === 'HostToContainer' || mountPropagation === 'Bidirectional' ? mountPropagation : undefined
  const subPath = mount.subPathExpr === undefined ? mount.subPath : expandAll(mount.subPathExpr, values)
  checkInside(subPath ?? '')
  return {
    volume: mount.name,
    containerPath: mount.mountPath,
    readOnly: mount.readOnly === true,
    ...(subPath ? { subPath } : {}),
    ...(propagation && { propagation }),
  }
}

/** A path inside a volume must not leave it, also after the expansion of references. */
function checkInside(subPath: string): void {
  if (subPath.startsWith('/')) throw new EnvironmentError(`error SubPath \`${subPath}\` must not be an absolute path`)
  if (subPath.split('/').includes('..')) throw new EnvironmentError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`)
}

/** Expands a path in which every reference must be known. */
function expandAll(text: string, values: ReadonlyMap<string, string>): string {
  const missing: string[] = []
  const expanded = expandReferences(text, (name) => {
    const value = values.get(name)
    if (value === undefined) missing.push(name)
    return value ?? ''
  })
  if (missing.length > 0) throw new EnvironmentError(`missing value for ${missing.join(', ')}`)
  return expanded
}

const HOSTNAME_MAX = 63
const FQDN_MAX = 64

/** The host name of a pod. Throws `RuntimeError` if the name is too long for the kernel. */
function hostnameOf(pod: Pod): string {
  const { namespace = '', name = '' } = pod.metadata
  const hostname = withoutTrailing((pod.spec.hostname || name).slice(0, HOSTNAME_MAX), '-.')
  if (pod.spec.setHostnameAsFQDN !== true || !pod.spec.subdomain) return hostname
  const whole = `${hostname}.${pod.spec.subdomain}.${namespace}.svc.cluster.local`
  if (whole.length <= FQDN_MAX) return whole
  const why = `FQDN ${whole} is too long (${FQDN_MAX} characters is the max, ${whole.length} characters requested)`
  throw new RuntimeError('runtime', `failed to construct FQDN from pod hostname and cluster domain, ${why}`)
}

/** The specification of a pod's sandbox. Pure; throws `RuntimeError` for an invalid host name. */
export function resolveSandbox(pod: Pod, attempt: number, dns: DnsConfig): SandboxSpec {
  const { labels = {}, annotations = {} } = pod.metadata
  return {
    pod: podRef(pod),
    attempt,
    hostname: hostnameOf(pod),
    hostNetwork: pod.spec.hostNetwork === true,
    dns,
    runtimeHandler: '',
    labels,
    annotations,
  }
}

/** The objects that a container's environment refers to. */
export function referredBy(container: Container): { readonly configMaps: readonly string[]; readonly secrets: readonly string[] } {
  const from = container.envFrom ?? []
  const keys = (container.env ?? []).flatMap((e) => (e.valueFrom ? [e.valueFrom] : []))
  return {
    configMaps: [...new Set([...from.flatMap((f) => f.configMapRef?.name ?? []), ...keys.flatMap((k) => k.configMapKeyRef?.name ?? [])])],
    secrets: [...new Set([...from.flatMap((f) => f.secretRef?.name ?? []), ...keys.flatMap((k) => k.secretKeyRef?.name ?? [])])],
  }
}
