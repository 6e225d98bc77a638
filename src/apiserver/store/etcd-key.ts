import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** Resources that Kubernetes stores under other names than their own. */
const NAMES: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  'ingresses.networking.k8s.io': 'ingress',
  'podsecuritypolicies.policy': 'podsecuritypolicy',
}
const GROUPS_IN_KEYS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** The etcd key that Kubernetes would use: some error messages contain it. A dry run does not reach the layer that adds the prefix. */
export function etcdKey(d: ResourceDefinition, namespace: string, name: string, { dryRun = false } = {}): string {
  const { plural } = d.names
  const special = NAMES[d.group === '' ? plural : `${plural}.${d.group}`]
  const grouped = d.customDefinition !== undefined || GROUPS_IN_KEYS.has(d.group)
  const place = special ?? (grouped ? `${d.group}/${plural}` : plural)
  return `${dryRun ? '' : '/registry'}/${place}/${d.scope === 'Namespaced' ? `${namespace}/` : ''}${name}`
}
