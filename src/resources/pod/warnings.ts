import { semanticEqual } from '../../machinery/equal.ts'
import { child, goQuote, index, key } from '../../machinery/field-error.ts'
import { ipWarnings } from '../../machinery/ip-address.ts'
import { dns1123Label } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { APP_ARMOR, appArmorOf, OLD_APP_ARMOR } from './app-armor.ts'
import { nodeSelectorWarnings, oldLabelText, termWarnings } from './old-node-labels.ts'
import { overlapWarnings } from './overlapping-paths.ts'
import { portWarnings } from './port-warnings.ts'
import { CONTAINER_SECCOMP, POD_SECCOMP } from './seccomp-annotations.ts'
import type { Container, PodAffinity, PodSpec, PodTemplateSpec, Volume } from './types.ts'
import { placedContainers } from './validation/validate-host-access.ts'
import { isWhole } from './validation/validate-resources.ts'

const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

const OLD_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'

const OLD_VOLUMES: readonly (readonly [keyof Volume, string])[] = [
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

const NULL_SELECTOR = 'a null labelSelector results in matching no pod'

/** Warnings of a template. `path` is its field path. */
export function templateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  return template ? podWarnings(template.spec ?? {}, template.metadata?.annotations, path) : []
}

/** Warnings for valid settings that are probably unintended or deprecated. `path` is the pod's (`''`) or the template's. */
export function podWarnings(spec: PodSpec, annotations: Annotations = {}, path = ''): string[] {
  if (quiet.has(spec) && !Object.keys(annotations).some(isOld)) return []
  const at = child(path, 'spec')
  const ofAnnotations = child(path, 'metadata', 'annotations')
  const warnings = [
    ...oldLabelWarnings(spec, at),
    ...Object.entries(OLD_ANNOTATIONS).flatMap(([name, text]) =>
      Object.hasOwn(annotations, name) ? [`${key(ofAnnotations, name)}: ${text}`] : [],
    ),
    ...volumeWarnings(spec, at),
    ...repeatedNames(spec, at),
    ...overheadWarnings(spec, child(at, 'overhead')),
    ...(spec.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, POD_SECCOMP)
      ? [`${key(ofAnnotations, POD_SECCOMP)}: ${OLD_SECCOMP}`]
      : []),
    ...placedContainers(spec, at).flatMap(({ container, path: p }) => [
      ...profileWarnings(spec, container, { annotations, path: ofAnnotations, isTemplate: path !== '' }),
      ...containerWarnings(container, p),
    ]),
    ...portWarnings(spec, at),
    // In a pod this was defaulted before.
    ...(path !== '' && (spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${child(at, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...nullSelectors(spec, at),
    ...addressWarnings(spec, at),
  ]
  if (warnings.length === 0) quiet.add(spec)
  return warnings
}

type Annotations = Readonly<Record<string, string>>

/** Whether an annotation may be the cause of a warning. */
const isOld = (name: string): boolean =>
  Object.hasOwn(OLD_ANNOTATIONS, name) || name === POD_SECCOMP || name.startsWith(CONTAINER_SECCOMP) || name.startsWith(APP_ARMOR)

/** Annotations with the security profile of a container that does not have the field. */
function profileWarnings(
  spec: PodSpec,
  container: Container,
  { annotations, path, isTemplate }: { readonly annotations: Annotations; readonly path: string; readonly isTemplate: boolean },
): string[] {
  const out: string[] = []
  const seccomp = `${CONTAINER_SECCOMP}${container.name ?? ''}`
  if (container.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccomp))
    out.push(`${key(path, seccomp)}: ${OLD_SECCOMP}`)
  const appArmor = `${APP_ARMOR}${container.name ?? ''}`
  const annotation = annotations[appArmor]
  // A pod's own has become the field before.
  if (!isTemplate || container.securityContext?.appArmorProfile !== undefined || annotation === undefined) return out
  const ofPod = spec.securityContext?.appArmorProfile
  if (ofPod === undefined || !semanticEqual(ofPod, appArmorOf(annotation))) out.push(`${key(path, appArmor)}: ${OLD_APP_ARMOR}`)
  return out
}

/** Specs without warnings. Specs are not changed after validation. */
const quiet = new WeakSet<PodSpec>()

function oldLabelWarnings(spec: PodSpec, path: string): string[] {
  const out: string[] = []
  for (const name of Object.keys(spec.nodeSelector ?? {})) {
    const text = oldLabelText(name)
    if (text) out.push(`${key(child(path, 'nodeSelector'), name)}: ${text}`)
  }
  out.push(...affinityLabelWarnings(spec, path))
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = index(child(path, 'topologySpreadConstraints'), i)
    const text = oldLabelText(constraint.topologyKey)
    if (text) out.push(`${child(at, 'topologyKey')}: ${constraint.topologyKey} is ${text}`)
    if (!constraint.labelSelector) out.push(`${child(at, 'labelSelector')}: ${NULL_SELECTOR}`)
  }
  return out
}

function affinityLabelWarnings(spec: PodSpec, path: string): string[] {
  const node = spec.affinity?.nodeAffinity
  if (!node) return []
  const out: string[] = []
  const hard = child(path, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  out.push(...nodeSelectorWarnings(node.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms, hard))
  const soft = child(path, 'affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution')
  for (const [i, term] of (node.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries())
    out.push(...termWarnings(term.preference ?? {}, child(index(soft, i), 'preference')))
  return out
}

function volumeWarnings(spec: PodSpec, path: string): string[] {
  return (spec.volumes ?? []).flatMap((volume, i) => {
    const at = index(child(path, 'volumes'), i)
    const out = OLD_VOLUMES.flatMap(([field, text]) => (volume[field] === undefined ? [] : [`${child(at, field)}: ${text}`]))
    for (const source of volume.projected?.sources ?? [])
      if (Object.values(source).every((value) => value === undefined))
        out.push(`volume ${goQuote(volume.name ?? '')} (Projected) has no sources provided`)
    return [...out, ...overlapWarnings(volume)]
  })
}

function repeatedNames(spec: PodSpec, path: string): string[] {
  const aliases = repeated(
    spec.hostAliases,
    ({ ip }) => ip ?? '',
    (i, ip) => `${hostAlias(path, i)}: duplicate ip ${goQuote(ip)}`,
  )
  const at = (i: number) => child(index(child(path, 'imagePullSecrets'), i), 'name')
  const name = (secret: { readonly name?: string }) => secret.name ?? ''
  const secrets = repeated(spec.imagePullSecrets, name, (i, twice) => `${at(i)}: duplicate name ${goQuote(twice)}`)
  const empty = (spec.imagePullSecrets ?? []).flatMap((secret, i) => (name(secret) === '' ? [`${at(i)}: invalid empty name ""`] : []))
  return [...aliases, ...secrets, ...empty]
}

const hostAlias = (path: string, i: number) => child(index(child(path, 'hostAliases'), i), 'ip')

/** The warning for each item whose name an earlier one has. */
function repeated<T>(items: readonly T[] | undefined, nameOf: (item: T) => string, text: (i: number, name: string) => string): string[] {
  const seen = new Set<string>()
  return (items ?? []).flatMap((item, i) => {
    const name = nameOf(item)
    if (seen.has(name)) return [text(i, name)]
    seen.add(name)
    return []
  })
}

function addressWarnings(spec: PodSpec, path: string): string[] {
  const servers = child(path, 'dnsConfig', 'nameservers')
  return [
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, i) => ipWarnings(index(servers, i), server)),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, i) => ipWarnings(hostAlias(path, i), ip ?? '')),
  ]
}

function containerWarnings(container: Container, path: string): string[] {
  const { limits, requests } = container.resources ?? {}
  const fractions = ['memory', 'ephemeral-storage'].flatMap((name) =>
    [['limits', limits] as const, ['requests', requests] as const].flatMap(([field, list]) =>
      fractionalBytes(list?.[name] === undefined ? {} : { [name]: list[name] }, child(path, 'resources', field)),
    ),
  )
  return [...fractions, ...hiddenVariables(container, child(path, 'env'))]
}

/** Variables that hide one before them, but for those that are built from it. */
function hiddenVariables(container: Container, path: string): string[] {
  const seen = new Set<string>()
  return (container.env ?? []).flatMap((variable, i) => {
    const { name = '', value = '', valueFrom } = variable
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const reference = `$(${name})`
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return []
    return [`${index(path, i)}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`]
  })
}

const BYTES = new Set(['memory', 'ephemeral-storage', 'storage'])

/** Warnings for fractions of bytes. */
export function fractionalBytes(list: Readonly<Record<string, string>> | undefined, path: string): string[] {
  return Object.keys(list ?? {}).flatMap((name) => {
    const quantity = BYTES.has(name) ? tryParseQuantity(list?.[name] ?? '') : undefined
    if (quantity === undefined || isWhole(quantity)) return []
    return [`${key(path, name)}: fractional byte value ${goQuote(quantity.toString())} is invalid, must be an integer`]
  })
}

const overheadWarnings = (spec: PodSpec, path: string) => fractionalBytes(spec.overhead, path)

function nullSelectors(spec: PodSpec, path: string): string[] {
  const out: string[] = []
  for (const field of ['podAffinity', 'podAntiAffinity'] as const) {
    const affinity: PodAffinity = spec.affinity?.[field] ?? {}
    const at = child(path, 'affinity', field)
    for (const [i, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries())
      if (!term.labelSelector)
        out.push(`${child(index(child(at, 'requiredDuringSchedulingIgnoredDuringExecution'), i), 'labelSelector')}: ${NULL_SELECTOR}`)
    for (const [i, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries())
      if (!term.podAffinityTerm?.labelSelector)
        out.push(
          `${child(index(child(at, 'preferredDuringSchedulingIgnoredDuringExecution'), i), 'podAffinityTerm', 'labelSelector')}: ${NULL_SELECTOR}`,
        )
  }
  return out
}

/** A name that becomes a hostname should be a DNS label. */
export function hostnameWarnings(name: string, use: string): string[] {
  const texts = dns1123Label(name)
  if (texts.length === 0) return []
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${texts.join(' ')}]`,
  ]
}

type Templated = KubeObject<{ template?: PodTemplateSpec }>

/**
 * For workloads with a `spec.template` that name pods after themselves: warnings about the name at creation, and about every new
 * generation.
 */
export const controllerWarnings = (object: Templated, old: Templated | undefined): string[] => [
  ...(old ? [] : hostnameWarnings(object.metadata.name ?? '', 'Pod names and hostnames')),
  ...(isNewGeneration(object, old) ? templateWarnings(object.spec?.template, 'spec.template') : []),
]

/** Kubernetes looks at templates again when the generation of their object is another one. */
export const isNewGeneration = (object: KubeObject, old: KubeObject | undefined): boolean =>
  old === undefined || object.metadata.generation !== old.metadata.generation
