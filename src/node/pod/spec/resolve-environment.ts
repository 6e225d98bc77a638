import type { KubeObject } from '../../../machinery/object.ts'
import { parseQuantity, Quantity } from '../../../machinery/quantity.ts'
import type { EnvironmentVariable } from '../../runtime/container-spec.ts'
import { type Amounts, type Container, containersOf, type EnvVar, type FileKeyRef, type KeyRef, type Pod } from '../pod-types.ts'
import { expandReferences } from './expand.ts'
import { fileValue, type ReadVolumeFile } from './file-key.ts'

/** What a container's environment may be made from. All objects are of the pod's namespace. */
export interface EnvironmentInput {
  readonly pod: Pod
  readonly container: Container
  readonly hostIp: string
  readonly podIps: readonly string[]
  /** Of the node: what a container may use that names no limit. */
  readonly allocatable: Amounts
  readonly configMaps: ReadonlyMap<string, KubeObject>
  readonly secrets: ReadonlyMap<string, KubeObject>
  /** What lies in the pod's volumes; absent: nothing does. */
  readonly readFile?: ReadVolumeFile
  /** Variables about services (`X_SERVICE_HOST`, …); what the container names itself wins. */
  readonly services: readonly EnvironmentVariable[]
}

/** Why an environment cannot be made; the message is Kubernetes'. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly code = 'bad-environment'
}

/** The container's variables with all references resolved, as the kubelet does it. Pure; throws `EnvironmentError`. */
export function resolveEnvironment(input: EnvironmentInput): readonly EnvironmentVariable[] {
  const services = new Map(input.services.map((s) => [s.name, s.value]))
  const own = new Map<string, string>()
  for (const { prefix = '', configMapRef, secretRef } of input.container.envFrom ?? []) {
    if (configMapRef) takeAll(own, prefix, { ref: configMapRef, object: input.configMaps.get(configMapRef.name), word: 'configmap' })
    if (secretRef) takeAll(own, prefix, { ref: secretRef, object: input.secrets.get(secretRef.name), word: 'secret' })
  }
  for (const variable of input.container.env ?? []) {
    const value = resolveValue(input, variable, (name) => own.get(name) ?? services.get(name))
    if (value === undefined) continue
    services.delete(variable.name)
    own.set(variable.name, value)
  }
  const rest = [...services].filter(([name]) => !own.has(name))
  return [...own, ...rest].map(([name, value]) => ({ name, value }))
}

interface Source {
  readonly ref: { readonly name: string; readonly optional?: boolean }
  readonly object: KubeObject | undefined
  readonly word: 'configmap' | 'secret'
}

function takeAll(own: Map<string, string>, prefix: string, { ref, object, word }: Source): void {
  if (object === undefined) {
    if (ref.optional) return
    throw new EnvironmentError(`${word} "${ref.name}" not found`)
  }
  for (const [key, value] of Object.entries(object.data ?? {})) own.set(prefix + key, textOf(word, String(value)))
}

function resolveValue(input: EnvironmentInput, variable: EnvVar, known: (name: string) => string | undefined): string | undefined {
  const { value = '', valueFrom } = variable
  if (valueFrom === undefined || value !== '') return expandReferences(value, known)
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom
  if (fileKeyRef) return fromFile(input, fileKeyRef)
  if (fieldRef) return fieldOf(input, fieldRef.fieldPath)
  if (resourceFieldRef) return amountOf(input, resourceFieldRef)
  if (configMapKeyRef) return keyOf(input, configMapKeyRef, { object: input.configMaps.get(configMapKeyRef.name), word: 'configmap' })
  if (secretKeyRef) return keyOf(input, secretKeyRef, { object: input.secrets.get(secretKeyRef.name), word: 'secret' })
  return ''
}

function fromFile({ pod, readFile = () => undefined }: EnvironmentInput, ref: FileKeyRef): string | undefined {
  const { value, fault } = fileValue(pod, ref, readFile)
  if (fault !== undefined) throw new EnvironmentError(fault)
  return value
}

function keyOf(
  { pod }: EnvironmentInput,
  ref: KeyRef,
  { object, word }: { readonly object: KubeObject | undefined; readonly word: 'configmap' | 'secret' },
): string | undefined {
  if (object === undefined) {
    if (ref.optional) return undefined
    throw new EnvironmentError(`${word} "${ref.name}" not found`)
  }
  if (Object.hasOwn(object.data ?? {}, ref.key)) return textOf(word, String(object.data?.[ref.key]))
  if (ref.optional) return undefined
  const kind = word === 'secret' ? 'Secret' : 'ConfigMap'
  throw new EnvironmentError(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace ?? ''}/${ref.name}`)
}

const textOf = (word: 'configmap' | 'secret', value: string) => (word === 'secret' ? Buffer.from(value, 'base64').toString() : value)

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/

function fieldOf({ pod, hostIp, podIps }: EnvironmentInput, path: string): string {
  const { metadata, spec } = pod
  const keyed = KEYED.exec(path)
  if (keyed !== null) return metadata[keyed[1] === 'labels' ? 'labels' : 'annotations']?.[keyed[2] ?? ''] ?? ''
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? ''
    case 'metadata.namespace':
      return metadata.namespace ?? ''
    case 'metadata.uid':
      return metadata.uid ?? ''
    case 'spec.nodeName':
      return spec.nodeName ?? ''
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp
    case 'status.podIP':
      return podIps[0] ?? ''
    case 'status.podIPs':
      return podIps.join(',')
    default:
      throw new EnvironmentError(`unsupported fieldPath: ${path}`)
  }
}

interface ResourceField {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string | number
}

/** Amounts are whole multiples of the divisor, rounded up; a limit that is not set is what the node has. */
function amountOf({ pod, container, allocatable }: EnvironmentInput, { containerName, resource, divisor = '1' }: ResourceField): string {
  const named =
    containerName === undefined || containerName === ''
      ? container
      : containersOf(pod).find((c) => c.container.name === containerName)?.container
  const [of = '', ...rest] = resource.split('.')
  const name = rest.join('.')
  const own = of === 'limits' ? named?.resources?.limits?.[name] : named?.resources?.requests?.[name]
  const amount = parseQuantity(own ?? (of === 'limits' ? (allocatable[name] ?? '0') : '0'))
  const given = parseQuantity(divisor)
  const unit = given.isZero() ? Quantity.of(1) : given
  if (name === 'cpu') return String(Math.ceil(amount.milliValue() / unit.milliValue()))
  return String(Math.ceil(amount.value() / unit.value()))
}
