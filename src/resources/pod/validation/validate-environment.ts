import { child, type FieldError, index, invalid, notFoundValue, notSupportedText, required } from '../../../machinery/field-error.ts'
import { configMapKey, dns1123Label, dns1123Subdomain, envVarName, qualifiedName } from '../../../machinery/names.ts'
import { tryParseQuantity } from '../../../machinery/quantity.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import type { Container, EnvVar, FieldRef, KeyRef, PodSpec, ResourceFieldRef } from '../types.ts'
import { validateNoBacksteps } from './validate-paths.ts'

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** The fields that a downward API volume may contain. */
export const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']

const KNOWN_FIELDS = new Set([...ENV_FIELDS, ...VOLUME_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase', 'spec.host'])
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const HUGE_PAGES = ['limits.hugepages-', 'requests.hugepages-']
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']
const DIVISORS: readonly (readonly [suffix: RegExp, divisors: readonly string[], of: string])[] = [
  [/\.cpu$/, ['1m', '1'], 'cpu'],
  [/\.memory$/, BYTE_DIVISORS, 'memory'],
  [/\.ephemeral-storage$/, BYTE_DIVISORS, 'local ephemeral storage'],
  [/\.hugepages-/, BYTE_DIVISORS, 'hugepages'],
]

/** Validates environment variables and the sources of their values. */
export function validateEnv(env: readonly EnvVar[] | undefined, path: string): FieldError[] {
  return faultsOfEach(env, (variable, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    if (!variable.name) faults.push(required(child(at, 'name')))
    else for (const text of envVarName(variable.name)) faults.push(invalid(child(at, 'name'), variable.name, text))
    return [...faults, ...validateValueFrom(variable, child(at, 'valueFrom'))]
  })
}

function validateValueFrom(variable: EnvVar, path: string): FieldError[] {
  const from = variable.valueFrom
  if (!from) return []
  const faults: FieldError[] = []
  let sources = 0
  if (from.fieldRef) {
    sources++
    faults.push(...validateFieldRef(from.fieldRef, ENV_FIELDS, child(path, 'fieldRef')))
  }
  if (from.resourceFieldRef) {
    sources++
    faults.push(...validateResourceFieldRef(from.resourceFieldRef, child(path, 'resourceFieldRef'), false))
  }
  if (from.configMapKeyRef) {
    sources++
    faults.push(...validateKeyRef(from.configMapKeyRef, child(path, 'configMapKeyRef')))
  }
  if (from.secretKeyRef) {
    sources++
    faults.push(...validateKeyRef(from.secretKeyRef, child(path, 'secretKeyRef')))
  }
  if (from.fileKeyRef) {
    sources++
    faults.push(...validateFileKeyRef(from.fileKeyRef, child(path, 'fileKeyRef')))
  }
  if (sources === 0)
    faults.push(invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'))
  else if (variable.value) faults.push(invalid(path, '', 'may not be specified when `value` is not empty'))
  else if (sources > 1) faults.push(invalid(path, '', 'may not have more than one field specified at a time'))
  return faults
}

function validateKeyRef(ref: KeyRef, path: string): FieldError[] {
  const faults: FieldError[] = []
  for (const text of dns1123Subdomain(ref.name ?? '')) faults.push(invalid(child(path, 'name'), ref.name ?? '', text))
  if (!ref.key) faults.push(required(child(path, 'key')))
  else for (const text of configMapKey(ref.key)) faults.push(invalid(child(path, 'key'), ref.key, text))
  return faults
}

function validateFileKeyRef(ref: { volumeName?: string; path?: string; key?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!ref.key) faults.push(required(child(path, 'key')))
  else for (const text of envVarName(ref.key)) faults.push(invalid(child(path, 'key'), ref.key, text))
  if (!ref.volumeName) faults.push(required(child(path, 'volumeName')))
  else for (const text of dns1123Label(ref.volumeName)) faults.push(invalid(child(path, 'volumeName'), ref.volumeName, text))
  if (!ref.path) faults.push(required(child(path, 'path')))
  else faults.push(...validateNoBacksteps(ref.path, child(path, 'path')))
  return faults
}

/** The volume of a variable that is read from a file must exist, and be of type emptyDir. */
export function validateFileVolumes(spec: PodSpec, path: string): FieldError[] {
  const byName = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]))
  const ofVariable = (name: string, at: string): FieldError[] => {
    const volume = byName.get(name)
    if (volume === undefined) return [notFoundValue(at, name)]
    return volume.emptyDir ? [] : [invalid(at, name, 'referenced volume must be of type emptyDir')]
  }
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((kind) =>
    (spec[kind] ?? []).flatMap(({ env }, i) =>
      (env ?? []).flatMap(({ valueFrom }, j) => {
        const at = child(index(child(index(child(path, kind), i), 'env'), j), 'valueFrom', 'fileKeyRef', 'volumeName')
        return valueFrom?.fileKeyRef ? ofVariable(valueFrom.fileKeyRef.volumeName ?? '', at) : []
      }),
    ),
  )
}

/** Validates a reference to one of the pod's own fields. */
export function validateFieldRef(ref: FieldRef, supported: readonly string[], path: string): FieldError[] {
  if (!ref.apiVersion) return [required(child(path, 'apiVersion'))]
  const field = ref.fieldPath ?? ''
  if (field === '') return [required(child(path, 'fieldPath'))]
  const unknown = unknownField(ref.apiVersion, field)
  if (unknown) return [invalid(child(path, 'fieldPath'), field, `error converting fieldPath: ${unknown}`)]
  const subscript = splitSubscript(field)
  if (!subscript) {
    const internal = field === 'spec.host' ? 'spec.nodeName' : field
    return supported.includes(internal) ? [] : [notSupportedText(child(path, 'fieldPath'), internal, supported)]
  }
  const name = subscript.path === 'metadata.annotations' ? subscript.key.toLowerCase() : subscript.key
  return qualifiedName(name).map((text) => invalid(path, name, text))
}

function unknownField(apiVersion: string, field: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`
  const subscript = splitSubscript(field)
  if (subscript)
    return subscript.path === 'metadata.annotations' || subscript.path === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${field}`
  return KNOWN_FIELDS.has(field) ? undefined : `field label not supported: ${field}`
}

/** `metadata.labels['a']` → `metadata.labels` and `a`. */
function splitSubscript(field: string): { path: string; key: string } | undefined {
  if (!field.endsWith("']")) return undefined
  const open = field.indexOf("['")
  if (open <= 0 || open + 2 > field.length - 2) return undefined
  return { path: field.slice(0, open), key: field.slice(open + 2, -2) }
}

/** Validates a reference to a container's request or limit; a volume must name the container. */
export function validateResourceFieldRef(ref: ResourceFieldRef, path: string, inVolume: boolean): FieldError[] {
  const faults: FieldError[] = []
  const resource = ref.resource ?? ''
  if (inVolume && !ref.containerName) faults.push(required(child(path, 'containerName')))
  else if (resource === '') faults.push(required(child(path, 'resource')))
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.some((prefix) => resource.startsWith(prefix)))
    faults.push(notSupportedText(child(path, 'resource'), resource, RESOURCES))
  return [...faults, ...validateDivisor(ref, child(path, 'divisor'))]
}

function validateDivisor(ref: ResourceFieldRef, path: string): FieldError[] {
  const divisor = tryParseQuantity(ref.divisor ?? '0')
  if (!divisor || divisor.isZero()) return []
  const resource = ref.resource ?? ''
  const rule = DIVISORS.find(([suffix]) => /^(?:limits|requests)\./.test(resource) && suffix.test(resource))
  if (!rule || rule[1].includes(divisor.toString())) return []
  const [, divisors, of] = rule
  const list = of === 'cpu' ? '1m and 1' : divisors.join(', ')
  return [invalid(path, resource, `only divisor's values ${list} are supported with the ${of} resource`)]
}

/** Validates ConfigMaps and Secrets whose keys become variables. */
export function validateEnvFrom(sources: Container['envFrom'], path: string): FieldError[] {
  return faultsOfEach(sources, (source, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    if (source.prefix) for (const text of envVarName(source.prefix)) faults.push(invalid(child(at, 'prefix'), source.prefix, text))
    for (const field of ['configMapRef', 'secretRef'] as const) {
      const { name = '' } = source[field] ?? {}
      const where = child(at, field, 'name')
      if (source[field] && name === '') faults.push(required(where))
      else if (name !== '') for (const text of dns1123Subdomain(name)) faults.push(invalid(where, name, text))
    }
    if (!source.configMapRef && !source.secretRef) faults.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (source.configMapRef && source.secretRef) faults.push(invalid(path, '', 'may not have more than one field specified at a time'))
    return faults
  })
}
