import type {
  ConfigMap,
  ConfigMapEnvSource,
  EnvVar,
  FileKeySelector,
  Secret,
  SecretEnvSource,
  SecretKeySelector,
} from '../../../resources/types/core.ts'
import type { EnvironmentVariable } from '../../runtime/container-spec.ts'
import type { Container } from '../../types/pod.ts'
import { type DownwardInput, fieldValue, type ResourceField, resourceValue } from './downward-api.ts'
import { expandReferences } from './expand.ts'
import { fileValue, type ReadVolumeFile } from './file-key.ts'

/** The sources of a container's environment. All objects are in the pod's namespace. */
export interface EnvironmentInput extends DownwardInput {
  readonly container: Container
  readonly configMaps: ReadonlyMap<string, ConfigMap>
  readonly secrets: ReadonlyMap<string, Secret>
  /** Reads a file of the pod's volumes; absent: there are none. */
  readonly readFile?: ReadVolumeFile
  /** Service variables (`X_SERVICE_HOST`, …); the container's own definitions take precedence. */
  readonly services: readonly EnvironmentVariable[]
}

/** Why an environment cannot be built; the message is Kubernetes'. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly code = 'bad-environment'
}

/** The container's variables with all references resolved, as the kubelet does it. Pure; throws `EnvironmentError`. */
export function resolveEnvironment(input: EnvironmentInput): readonly EnvironmentVariable[] {
  const services = new Map(input.services.map((s) => [s.name, s]))
  const own = new Map<string, string>()
  for (const { prefix = '', configMapRef, secretRef } of input.container.envFrom ?? []) {
    if (configMapRef) takeAll(own, prefix, { ref: configMapRef, object: input.configMaps.get(configMapRef.name ?? ''), word: 'configmap' })
    if (secretRef) takeAll(own, prefix, { ref: secretRef, object: input.secrets.get(secretRef.name ?? ''), word: 'secret' })
  }
  for (const variable of input.container.env ?? []) {
    const value = resolveValue(input, variable, (name) => own.get(name) ?? services.get(name)?.value)
    if (value === undefined) continue
    services.delete(variable.name)
    own.set(variable.name, value)
  }
  const rest = [...services.values()].filter(({ name }) => !own.has(name))
  return [...[...own].map(([name, value]) => ({ name, value })), ...rest]
}

interface Source {
  readonly ref: ConfigMapEnvSource | SecretEnvSource
  readonly object: ConfigMap | Secret | undefined
  readonly word: 'configmap' | 'secret'
}

function takeAll(own: Map<string, string>, prefix: string, { ref, object, word }: Source): void {
  if (object === undefined) {
    if (ref.optional) return
    throw new EnvironmentError(`${word} "${ref.name ?? ''}" not found`)
  }
  for (const [key, value] of Object.entries(object.data ?? {})) own.set(prefix + key, textOf(word, value))
}

function resolveValue(input: EnvironmentInput, variable: EnvVar, known: (name: string) => string | undefined): string | undefined {
  const { value = '', valueFrom } = variable
  if (valueFrom === undefined || value !== '') return expandReferences(value, known)
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom
  if (fileKeyRef) return fromFile(input, fileKeyRef)
  if (fieldRef) return fieldOf(input, fieldRef.fieldPath)
  if (resourceFieldRef) return amountOf(input, resourceFieldRef)
  if (configMapKeyRef) return keyOf(input, configMapKeyRef, { object: input.configMaps.get(configMapKeyRef.name ?? ''), word: 'configmap' })
  if (secretKeyRef) return keyOf(input, secretKeyRef, { object: input.secrets.get(secretKeyRef.name ?? ''), word: 'secret' })
  return ''
}

function fromFile({ pod, readFile = () => undefined }: EnvironmentInput, ref: FileKeySelector): string | undefined {
  const { value, fault } = fileValue(pod, ref, readFile)
  if (fault !== undefined) throw new EnvironmentError(fault)
  return value
}

function keyOf(
  { pod }: EnvironmentInput,
  ref: SecretKeySelector,
  { object, word }: { readonly object: ConfigMap | Secret | undefined; readonly word: 'configmap' | 'secret' },
): string | undefined {
  if (object === undefined) {
    if (ref.optional) return undefined
    throw new EnvironmentError(`${word} "${ref.name ?? ''}" not found`)
  }
  const value = Object.hasOwn(object.data ?? {}, ref.key) ? object.data?.[ref.key] : undefined
  if (value !== undefined) return textOf(word, value)
  if (ref.optional) return undefined
  const kind = word === 'secret' ? 'Secret' : 'ConfigMap'
  throw new EnvironmentError(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace ?? ''}/${ref.name}`)
}

const textOf = (word: 'configmap' | 'secret', value: string) => (word === 'secret' ? Buffer.from(value, 'base64').toString() : value)

function amountOf(input: EnvironmentInput, field: ResourceField): string {
  const value = resourceValue(input, field)
  if (value === undefined) throw new EnvironmentError(`container ${field.containerName} not found`)
  return value
}

function fieldOf(input: EnvironmentInput, path: string): string {
  const value = fieldValue(input, path)
  if (value === undefined) throw new EnvironmentError(`unsupported fieldPath: ${path}`)
  return value
}
