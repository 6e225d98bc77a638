import { semanticEqual } from '../../machinery/equal.ts'
import { child, goQuote, index, key } from '../../machinery/field-error.ts'
import { dns1123Label } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { overlapWarnings } from './overlapping-paths.ts'
import type { Container, NodeSelectorTerm, PodAffinity, PodSpec, PodTemplateSpec, Volume } from './types.ts'
import { placedContainers } from './validation/validate-host-access.ts'
import { isWhole, parseList } from './validation/validate-resources.ts'

const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
}

const OLD_ANNOTATIONS: readonly (readonly [prefix: string, whole: boolean, text: string])[] = [
  ['seccomp.security.alpha.kubernetes.io/pod', true, 'non-functional in v1.27+; use the "seccompProfile" field instead'],
  ['container.seccomp.security.alpha.kubernetes.io/', false, 'non-functional in v1.27+; use the "seccompProfile" field instead'],
  ['container.apparmor.security.beta.kubernetes.io/', false, 'deprecated since v1.30; use the "appArmorProfile" field instead'],
  ['security.alpha.kubernetes.io/sysctls', true, 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', true, 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['scheduler.alpha.kubernetes.io/critical-pod', true, 'non-functional in v1.16+; use the "priorityClassName" field instead'],
]

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

/** Warnings for valid settings that are probably unintended or deprecated. `path` is the pod's or the template's. */
export function podWarnings(spec: PodSpec, annotations: Readonly<Record<string, string>> | undefined, path: string): string[] {
  const fromAnnotations = annotationWarnings(annotations, child(path, 'metadata', 'annotations'))
  if (quiet.has(spec)) return fromAnnotations
  const at = child(path, 'spec')
  const warnings = [
    ...oldLabelWarnings(spec, at),
    ...fromAnnotations,
    ...volumeWarnings(spec, at),
    ...repeatedNames(spec, at),
    ...placedContainers(spec, at).flatMap(({ container, path: p }) => containerWarnings(container, p)),
    ...overheadWarnings(spec, child(at, 'overhead')),
    // In a pod this was defaulted before.
    ...(path !== '' && (spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${child(at, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...nullSelectors(spec, at),
  ]
  if (warnings.length === 0) quiet.add(spec)
  return warnings
}

/** Specs without warnings. Specs are not changed after validation. */
const quiet = new WeakSet<PodSpec>()

function oldLabelWarnings(spec: PodSpec, path: string): string[] {
  const out: string[] = []
  for (const name of Object.keys(spec.nodeSelector ?? {})) {
    const text = OLD_LABELS[name]
    if (text) out.push(`${key(child(path, 'nodeSelector'), name)}: ${text}`)
  }
  out.push(...affinityLabelWarnings(spec, path))
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = index(child(path, 'topologySpreadConstraints'), i)
    const text = OLD_LABELS[constraint.topologyKey ?? '']
    if (text) out.push(`${child(at, 'topologyKey')}: ${constraint.topologyKey} is ${text}`)
    if (!constraint.labelSelector) out.push(`${child(at, 'labelSelector')}: ${NULL_SELECTOR}`)
  }
  return out
}

function affinityLabelWarnings(spec: PodSpec, path: string): string[] {
  const node = spec.affinity?.nodeAffinity
  if (!node) return []
  const out: string[] = []
  const hard = child(path, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
  for (const [i, term] of (node.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).entries())
    out.push(...termWarnings(term, index(hard, i)))
  const soft = child(path, 'affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution')
  for (const [i, term] of (node.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries())
    out.push(...termWarnings(term.preference ?? {}, child(index(soft, i), 'preference')))
  return out
}

function termWarnings(term: NodeSelectorTerm, path: string): string[] {
  return (term.matchExpressions ?? []).flatMap((expression, i) => {
    const text = OLD_LABELS[expression.key ?? '']
    return text ? [`${child(index(child(path, 'matchExpressions'), i), 'key')}: ${expression.key} is ${text}`] : []
  })
}

function annotationWarnings(annotations: Readonly<Record<string, string>> | undefined, path: string): string[] {
  return Object.keys(annotations ?? {}).flatMap((name) => {
    const rule = OLD_ANNOTATIONS.find(([prefix, whole]) => (whole ? name === prefix : name.startsWith(prefix)))
    return rule ? [`${key(path, name)}: ${rule[2]}`] : []
  })
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
  const out: string[] = []
  const secrets = new Set<string>()
  for (const [i, secret] of (spec.imagePullSecrets ?? []).entries()) {
    const at = child(index(child(path, 'imagePullSecrets'), i), 'name')
    const name = secret.name ?? ''
    if (name === '') out.push(`${at}: invalid empty name ""`)
    else if (secrets.has(name)) out.push(`${at}: duplicate name ${goQuote(name)}`)
    secrets.add(name)
  }
  const addresses = new Set<string>()
  for (const [i, alias] of (spec.hostAliases ?? []).entries()) {
    const ip = alias.ip ?? ''
    if (addresses.has(ip)) out.push(`${child(index(child(path, 'hostAliases'), i), 'ip')}: duplicate ip ${goQuote(ip)}`)
    addresses.add(ip)
  }
  return out
}

function containerWarnings(container: Container, path: string): string[] {
  const out: string[] = []
  for (const field of ['limits', 'requests'] as const)
    out.push(...fractionalBytes(container.resources?.[field], child(path, 'resources', field)))
  const names = new Set<string>()
  for (const [i, variable] of (container.env ?? []).entries()) {
    const name = variable.name ?? ''
    if (names.has(name))
      out.push(`${index(child(path, 'env'), i)}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`)
    names.add(name)
  }
  return [...out, ...portWarnings(container, child(path, 'ports'))]
}

/** Warnings for fractions of bytes. */
export function fractionalBytes(list: Readonly<Record<string, string>> | undefined, path: string): string[] {
  return [...parseList(list)].flatMap(([name, quantity]) =>
    ['memory', 'ephemeral-storage', 'storage'].includes(name) && !isWhole(quantity)
      ? [`${key(path, name)}: fractional byte value ${goQuote(quantity.toString())} is invalid, must be an integer`]
      : [],
  )
}

const overheadWarnings = (spec: PodSpec, path: string) => fractionalBytes(spec.overhead, path)

function portWarnings(container: Container, path: string): string[] {
  const seen = new Map<string, number>()
  return (container.ports ?? []).flatMap((port, i) => {
    const lost =
      port.hostIP && !port.hostPort
        ? [
            `${index(path, i)}: hostIP set without hostPort: {Name:${port.name ?? ''} HostPort:0 ContainerPort:${port.containerPort} Protocol:${port.protocol} HostIP:${port.hostIP}}`,
          ]
        : []
    const id = `${port.containerPort}/${port.protocol}/${port.hostPort ?? 0}/${port.hostIP ?? ''}`
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, i)
      return lost
    }
    return [...lost, `${index(path, i)}: duplicate port definition with ${index(path, first)}`]
  })
}

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
 * specification.
 */
export const controllerWarnings = (object: Templated, old: Templated | undefined): string[] => [
  ...(old ? [] : hostnameWarnings(object.metadata.name ?? '', 'Pod names and hostnames')),
  ...(old && semanticEqual(object.spec, old.spec) ? [] : templateWarnings(object.spec?.template, 'spec.template')),
]
