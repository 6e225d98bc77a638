import type { Clock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { CONFIG_MAPS, SECRETS } from '../../sdk/client/refs.ts'
import type { Container, KeyRef, Pod } from './pod-types.ts'

/** How long an object that was found is taken as still there. */
const KEEP_MS = 30_000

/** Looks up what pods refer to; found objects are remembered for a while, so that a thousand pods ask once. */
export interface References {
  /** Undefined when it does not exist. */
  configMap(namespace: string, name: string): Promise<KubeObject | undefined>
  secret(namespace: string, name: string): Promise<KubeObject | undefined>
}

export function createReferences(client: Client, clock: Clock): References {
  const known = new Map<string, { readonly object: Promise<KubeObject | undefined>; readonly untilMs: number }>()
  const find = (ref: typeof CONFIG_MAPS, namespace: string, name: string) => {
    const key = `${ref.resource}/${namespace}/${name}`
    const hit = known.get(key)
    if (hit !== undefined && hit.untilMs > clock.now()) return hit.object
    const object = client.get({ ...ref, namespace, name }).catch((error) => {
      known.delete(key)
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    })
    known.set(key, { object, untilMs: clock.now() + KEEP_MS })
    void object.then(
      (o) => o === undefined && known.delete(key),
      () => {},
    )
    return object
  }
  return { configMap: (ns, name) => find(CONFIG_MAPS, ns, name), secret: (ns, name) => find(SECRETS, ns, name) }
}

/** The first volume that cannot be set up, with Kubernetes' text, or undefined. */
export async function missingVolume(pod: Pod, refs: References): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? ''
  for (const v of pod.spec.volumes ?? []) {
    const configMaps = [v.configMap, ...(v.projected?.sources ?? []).map((s) => s.configMap)].filter((r) => r !== undefined)
    const secrets = [
      v.secret === undefined ? undefined : { name: v.secret.secretName, optional: v.secret.optional },
      ...(v.projected?.sources ?? []).map((s) => s.secret),
    ].filter((r) => r !== undefined)
    for (const r of configMaps) {
      if (r.optional || (await refs.configMap(namespace, r.name)) !== undefined) continue
      return `MountVolume.SetUp failed for volume "${v.name}" : configmap "${r.name}" not found`
    }
    for (const r of secrets) {
      if (r.optional || (await refs.secret(namespace, r.name)) !== undefined) continue
      return `MountVolume.SetUp failed for volume "${v.name}" : secret "${r.name}" not found`
    }
  }
  return undefined
}

/** Why the container's environment cannot be made, with Kubernetes' text, or undefined. */
export async function missingEnvironment(pod: Pod, container: Container, refs: References): Promise<string | undefined> {
  const namespace = pod.metadata.namespace ?? ''
  for (const source of container.envFrom ?? []) {
    const { configMapRef, secretRef } = source
    if (configMapRef && !configMapRef.optional && (await refs.configMap(namespace, configMapRef.name)) === undefined) {
      return `configmap "${configMapRef.name}" not found`
    }
    if (secretRef && !secretRef.optional && (await refs.secret(namespace, secretRef.name)) === undefined)
      return `secret "${secretRef.name}" not found`
  }
  for (const { valueFrom } of container.env ?? []) {
    const { configMapKeyRef, secretKeyRef } = valueFrom ?? {}
    const fault =
      (configMapKeyRef &&
        (await missingKey(configMapKeyRef, await refs.configMap(namespace, configMapKeyRef.name), 'configmap', 'ConfigMap', namespace))) ??
      (secretKeyRef && (await missingKey(secretKeyRef, await refs.secret(namespace, secretKeyRef.name), 'secret', 'Secret', namespace)))
    if (fault !== undefined) return fault
  }
  return undefined
}

function missingKey(ref: KeyRef, object: KubeObject | undefined, word: string, kind: string, namespace: string): string | undefined {
  if (ref.optional) return undefined
  if (object === undefined) return `${word} "${ref.name}" not found`
  if (Object.hasOwn(object.data ?? {}, ref.key) || Object.hasOwn(object.binaryData ?? {}, ref.key)) return undefined
  return `couldn't find key ${ref.key} in ${kind} ${namespace}/${ref.name}`
}
