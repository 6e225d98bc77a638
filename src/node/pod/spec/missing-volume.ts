import type { Volume } from '../../../resources/types/core.ts'
import { hostPathFault } from '../../host/host-path.ts'
import type { NodeHost } from '../../host/node-host.ts'
import { mountedVolumes, type Pod } from '../../types/pod.ts'
import { claimFault } from './claim-fault.ts'
import type { KeyedData, References } from './references.ts'

interface ReferencedObject {
  readonly kind: 'configmap' | 'secret'
  readonly name: string
  readonly optional: boolean
  readonly keys: readonly string[]
}

/**
 * Why mounted volumes cannot be set up: the message of each event that Kubernetes records; empty: all can. A volume that no container
 * mounts is not set up.
 */
export async function missingVolumes(pod: Pod, references: References, host: NodeHost): Promise<readonly string[]> {
  const namespace = pod.metadata.namespace ?? ''
  const mounted = mountedVolumes(pod)
  const volumes = (pod.spec.volumes ?? []).filter((v) => mounted.has(v.name))
  const faults: string[] = []
  const unclaimed: { readonly volume: string; readonly fault: string }[] = []
  for (const volume of volumes) {
    const unusable = await claimFault(pod, volume, references)
    if (unusable !== undefined) unclaimed.push({ volume: volume.name, fault: unusable })
    const fault =
      hostFault(pod, volume, host) ??
      driverFault(volume, host) ??
      hugePagesFault(pod, volume) ??
      (await contentFault(namespace, volume, references))
    if (fault !== undefined) faults.push(`MountVolume.SetUp failed for volume "${volume.name}" : ${fault}`)
  }
  if (unclaimed.length === 0) return faults
  const list = (names: readonly string[]) => `[${[...names].sort().join(' ')}]`
  const which = `unmounted volumes=${list(volumes.map((v) => v.name))}, unattached volumes=[], failed to process volumes=${list(unclaimed.map((u) => u.volume))}`
  const why = unclaimed.map((u) => u.fault).sort()
  return [...faults, `Unable to attach or mount volumes: ${which}: ${why.join('; ')}`]
}

/** Which objects of a volume are missing; for a projected volume all of them. */
async function contentFault(namespace: string, volume: Volume, references: References): Promise<string | undefined> {
  const faults: string[] = []
  for (const wanted of wantedBy(volume)) {
    const object = await (wanted.kind === 'secret' ? references.secret : references.configMap)(namespace, wanted.name)
    const fault = faultOf(wanted, object)
    if (fault !== undefined) faults.push(fault)
  }
  return faults.length > 1 ? `[${faults.join(', ')}]` : faults[0]
}

/** The page size of a volume in huge pages follows from the requests of the pod's containers. */
function hugePagesFault({ spec }: Pod, { emptyDir }: Volume): string | undefined {
  if (emptyDir?.medium !== 'HugePages') return undefined
  const containers = [...(spec.initContainers ?? []), ...spec.containers]
  const hasRequest = containers.some((c) => Object.keys(c.resources?.requests ?? {}).some((name) => name.startsWith('hugepages-')))
  return hasRequest ? undefined : 'medium HugePages: hugePages storage requested, but there is no resource request for huge pages'
}

/** Why the machine cannot provide the volume. */
function hostFault(pod: Pod, { name, hostPath, nfs }: Volume, host: NodeHost): string | undefined {
  if (hostPath !== undefined) return hostPathFault(host, hostPath.path, hostPath.type ?? '')
  if (nfs === undefined || !host.lacksFileSystems.includes('nfs')) return undefined
  const at = `/var/lib/kubelet/pods/${pod.metadata.uid}/volumes/kubernetes.io~nfs/${name}`
  const options = nfs.readOnly ? ' -o ro' : ''
  return [
    'mount failed: exit status 32',
    'Mounting command: mount',
    `Mounting arguments: -t nfs${options} ${nfs.server}:${nfs.path} ${at}`,
    `Output: mount: ${at}: unknown filesystem type 'nfs'.`,
    '       dmesg(1) may have more information after failed mount system call.',
    '',
  ].join('\n')
}

/** Why the driver of a pod's own CSI volume does not mount it. */
function driverFault({ csi }: Volume, { csiDrivers }: NodeHost): string | undefined {
  if (csi === undefined || csiDrivers === undefined || csiDrivers.includes(csi.driver)) return undefined
  const why = `driver name ${csi.driver} not found in the list of registered CSI drivers`
  return `kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: ${why}`
}

function wantedBy(volume: Volume): readonly ReferencedObject[] {
  const keys = (items?: readonly { readonly key: string }[]) => (items ?? []).map((i) => i.key)
  const map = (
    kind: ReferencedObject['kind'],
    name = '',
    from: { optional?: boolean; items?: readonly { readonly key: string }[] },
  ): ReferencedObject => ({
    kind,
    name,
    optional: from.optional === true,
    keys: keys(from.items),
  })
  return [
    ...(volume.configMap ? [map('configmap', volume.configMap.name, volume.configMap)] : []),
    ...(volume.secret ? [map('secret', volume.secret.secretName, volume.secret)] : []),
    ...(volume.projected?.sources ?? []).flatMap((s) => [
      ...(s.configMap ? [map('configmap', s.configMap.name, s.configMap)] : []),
      ...(s.secret ? [map('secret', s.secret.name, s.secret)] : []),
    ]),
  ]
}

function faultOf(wanted: ReferencedObject, object: KeyedData | undefined): string | undefined {
  if (wanted.optional) return undefined
  if (object === undefined) return `${wanted.kind} "${wanted.name}" not found`
  const key = wanted.keys.find((k) => !Object.hasOwn(object.data ?? {}, k) && !Object.hasOwn(object.binaryData ?? {}, k))
  if (key === undefined) return undefined
  return wanted.kind === 'secret' ? `references non-existent secret key: ${key}` : `configmap references non-existent config key: ${key}`
}
