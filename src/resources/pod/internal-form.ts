import { byKey } from '../../base/by-text.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { builtinSchema } from '../schema.ts'
import type { PodSpec, PodTemplateSpec } from './types.ts'

const podSchema = builtinSchema('', 'v1', 'Pod')
type Form = Record<string, unknown>

/** A part of a pod's spec (an item, if the path ends at a list) as Go prints it in messages: all fields under Go's names. */
export function internalForm(value: unknown, ...path: readonly string[]): unknown {
  const schema = at(path)
  return goForm(value, schema.type === 'list' && !Array.isArray(value) ? schema.items : schema)
}

const known = new Map<string, Schema>()
function at(path: readonly string[]): Schema {
  const id = path.join('.')
  const schema = known.get(id) ?? fieldSchema(podSchema(), 'spec', ...path)
  known.set(id, schema)
  return schema
}

const HOST_FIELDS = ['HostNetwork', 'HostPID', 'HostIPC', 'ShareProcessNamespace', 'HostUsers']

/** The whole spec in Go's internal form, in which the host namespaces are in the security context. */
export function internalPodSpec(spec: PodSpec): Form {
  const form = internalForm(spec) as Form
  const { ServiceAccount: _older, SecurityContext: security, ...rest } = form
  const host = Object.fromEntries(HOST_FIELDS.map((field) => [field, rest[field]]))
  for (const field of HOST_FIELDS) delete rest[field]
  const first = ['Volumes', 'InitContainers', 'Containers', 'EphemeralContainers', 'RestartPolicy', 'TerminationGracePeriodSeconds']
  const second = [
    'ActiveDeadlineSeconds',
    'DNSPolicy',
    'NodeSelector',
    'ServiceAccountName',
    'AutomountServiceAccountToken',
    'NodeName',
    'SecurityContext',
  ]
  const third = [
    'ImagePullSecrets',
    'Hostname',
    'Subdomain',
    'SetHostnameAsFQDN',
    'Affinity',
    'SchedulerName',
    'Tolerations',
    'HostAliases',
  ]
  const fourth = [
    'PriorityClassName',
    'Priority',
    'PreemptionPolicy',
    'DNSConfig',
    'ReadinessGates',
    'RuntimeClassName',
    'Overhead',
    'EnableServiceLinks',
  ]
  const fifth = ['TopologySpreadConstraints', 'OS', 'SchedulingGates', 'ResourceClaims', 'Resources', 'HostnameOverride']
  const all: Form = { ...rest, SecurityContext: security === null ? null : orderSecurity({ ...host, ...(security as Form) }) }
  if (Array.isArray(all.Volumes)) all.Volumes = all.Volumes.map(orderVolume)
  return inOrder(all, [...first, ...second, ...third, ...fourth, ...fifth])
}

const orderSecurity = (form: Form): Form => {
  const { FSGroup, FSGroupChangePolicy, Sysctls, SeccompProfile, AppArmorProfile, SELinuxChangePolicy, ...rest } = form
  return { ...rest, FSGroup, FSGroupChangePolicy, Sysctls, SeccompProfile, AppArmorProfile, SELinuxChangePolicy }
}

const orderVolume = (volume: Form): Form =>
  inOrder(volume, [
    'Name',
    'HostPath',
    'EmptyDir',
    'GCEPersistentDisk',
    'AWSElasticBlockStore',
    'GitRepo',
    'Secret',
    'NFS',
    'ISCSI',
    'Glusterfs',
    'PersistentVolumeClaim',
    'RBD',
    'Quobyte',
  ])

function inOrder(form: Form, names: readonly string[]): Form {
  const out: Form = {}
  for (const name of names) if (Object.hasOwn(form, name)) out[name] = form[name]
  return { ...out, ...form }
}

/** A template in Go's internal form: its metadata is beside the spec. */
export function internalPodTemplate(template: PodTemplateSpec): Form {
  const metadata: Form = { ...template.metadata }
  for (const field of ['labels', 'annotations'])
    if (metadata[field]) metadata[field] = Object.fromEntries(Object.entries(metadata[field] as Form).sort(byKey))
  return { ...metadata, Spec: internalPodSpec(template.spec ?? {}) }
}
