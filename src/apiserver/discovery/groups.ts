import { byText } from '../../base/by-text.ts'
import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { DelegateServers, ListedGroup } from '../delegate-server.ts'

/** Kubernetes' own groups, in the order in which discovery lists them; others follow by name. */
const ORDER = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
]

/** The named groups in order, including those of delegates. */
export function listedGroups(definitions: ResourceRegistry, delegates: DelegateServers | undefined): readonly ListedGroup[] {
  return delegates?.groups() ?? groupsInOrder(definitions).map((name) => ({ name, versions: versionsOf(definitions, name) }))
}

/** All named groups that are served. */
function groupsInOrder(definitions: ResourceRegistry): readonly string[] {
  const names = new Set(
    definitions
      .all()
      .filter((d) => d.group !== '' && d.versions.some((v) => v.served))
      .map((d) => d.group),
  )
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return [...names].sort((a, b) => place(a) - place(b) || byText(a, b))
}

/** The served versions of a group, preferred first. */
export function versionsOf(definitions: ResourceRegistry, group: string): readonly string[] {
  const versions = new Set(definitions.ofGroup(group).flatMap((d) => d.versions.filter((v) => v.served).map((v) => v.version)))
  return [...versions].sort(byPriority)
}

/** `v2` before `v1` before `v1beta1` before `v1alpha1` before anything else. */
export function byPriority(a: string, b: string): number {
  const x = rank(a)
  const y = rank(b)
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return (y[i] ?? 0) - (x[i] ?? 0)
  return a < b ? -1 : 1
}

function rank(version: string): [number, number, number] {
  const m = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (m === null) return [0, 0, 0]
  const stage = m[2] === undefined ? 3 : m[2] === 'beta' ? 2 : 1
  return [stage, Number(m[1]), Number(m[3] ?? 0)]
}
