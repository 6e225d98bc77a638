import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, isObject } from '../machinery/object.ts'
import type { ResourceRules } from '../machinery/resource/definition.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { builtinResources } from './builtin.ts'

const all = builtinResources()
const nameOf = ({ names, group }: (typeof all)[number]) => `${names.plural}${group === '' ? '' : `.${group}`}`
const POLICIES = [
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]

/** What a kind's storage does otherwise than most: the kinds of which it is so. As the recorded updates and deletes show. */
const UNUSUAL: readonly (readonly [way: string, is: (rules: ResourceRules) => boolean, kinds: readonly string[]])[] = [
  [
    'an update creates what is not there',
    (rules) => rules.allowCreateOnUpdate === true,
    [
      'clusterrolebindings.rbac.authorization.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
      'endpoints',
      'events',
      'events.events.k8s.io',
      'leases.coordination.k8s.io',
      'limitranges',
      'rolebindings.rbac.authorization.k8s.io',
      'roles.rbac.authorization.k8s.io',
      'runtimeclasses.node.k8s.io',
      'services',
    ],
  ],
  [
    'an update names the version that it replaces',
    (rules) => rules.allowUnconditionalUpdate === false,
    [
      'apiservices.apiregistration.k8s.io',
      'csidrivers.storage.k8s.io',
      'csinodes.storage.k8s.io',
      'csistoragecapacities.storage.k8s.io',
      'customresourcedefinitions.apiextensions.k8s.io',
      'leases.coordination.k8s.io',
      ...POLICIES,
      'poddisruptionbudgets.policy',
      'runtimeclasses.node.k8s.io',
      'volumeattachments.storage.k8s.io',
    ],
  ],
  [
    'a delete answers with the object',
    (rules) => rules.returnsDeleted === true,
    [
      'csidrivers.storage.k8s.io',
      'csinodes.storage.k8s.io',
      'deviceclasses.resource.k8s.io',
      'namespaces',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'podtemplates',
      'resourceclaims.resource.k8s.io',
      'resourceclaimtemplates.resource.k8s.io',
      'resourcequotas',
      'resourceslices.resource.k8s.io',
      'serviceaccounts',
      'services',
      'storageclasses.storage.k8s.io',
      'volumeattachments.storage.k8s.io',
      'volumeattributesclasses.storage.k8s.io',
    ],
  ],
  ['dependents stay when it is deleted', (rules) => rules.defaultPropagation === 'Orphan', ['jobs.batch', 'replicationcontrollers']],
]
for (const [way, is, kinds] of UNUSUAL)
  test(`${way} of these kinds alone`, () =>
    assert.deepEqual(
      all
        .filter((d) => is(d.rules))
        .map(nameOf)
        .sort(),
      [...kinds].sort(),
    ))

/** The field selectors of each kind besides metadata.name and metadata.namespace, an object, and what they select it by. */
const FIELDS: readonly (readonly [resource: string, object: string, fields: Readonly<Record<string, string>>])[] = [
  ['namespaces', '{status: {phase: Active}}', { 'status.phase': 'Active' }],
  ['nodes', '{spec: {unschedulable: true}}', { 'spec.unschedulable': 'true' }],
  ['nodes', '{}', { 'spec.unschedulable': 'false' }],
  ['secrets', '{type: Opaque}', { type: 'Opaque' }],
  ['services', '{spec: {clusterIP: None, type: ClusterIP}}', { 'spec.clusterIP': 'None', 'spec.type': 'ClusterIP' }],
  ['replicationcontrollers', '{status: {replicas: 3}}', { 'status.replicas': '3' }],
  ['replicationcontrollers', '{}', { 'status.replicas': '0' }],
  ['jobs.batch', '{status: {succeeded: 2}}', { 'status.successful': '2' }],
  ['jobs.batch', '{}', { 'status.successful': '0' }],
  ['certificatesigningrequests.certificates.k8s.io', '{spec: {signerName: s}}', { 'spec.signerName': 's' }],
  ['resourceslices.resource.k8s.io', '{spec: {nodeName: m, driver: d}}', { 'spec.nodeName': 'm', 'spec.driver': 'd' }],
  ['ipaddresses.networking.k8s.io', '{}', {}],
  [
    'pods',
    '{}',
    {
      'spec.nodeName': '',
      'spec.restartPolicy': '',
      'spec.schedulerName': '',
      'spec.serviceAccountName': '',
      'spec.hostNetwork': 'false',
      'status.phase': '',
      'status.podIP': '',
      'status.podIPs': '',
      'status.nominatedNodeName': '',
    },
  ],
  [
    'pods',
    '{spec: {nodeName: m, restartPolicy: Never, schedulerName: s, serviceAccountName: a, hostNetwork: true}, status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}], nominatedNodeName: o}}',
    {
      'spec.nodeName': 'm',
      'spec.restartPolicy': 'Never',
      'spec.schedulerName': 's',
      'spec.serviceAccountName': 'a',
      'spec.hostNetwork': 'true',
      'status.phase': 'Running',
      'status.podIP': '10.0.0.1',
      // Kubernetes knows the label, and never gives it a value.
      'status.podIPs': '',
      'status.nominatedNodeName': 'o',
    },
  ],
  [
    'events',
    '{involvedObject: {kind: Pod, namespace: s, name: p, uid: u, apiVersion: v1, resourceVersion: "5", fieldPath: f}, reason: R, reportingComponent: c, type: Normal}',
    {
      'involvedObject.kind': 'Pod',
      'involvedObject.namespace': 's',
      'involvedObject.name': 'p',
      'involvedObject.uid': 'u',
      'involvedObject.apiVersion': 'v1',
      'involvedObject.resourceVersion': '5',
      'involvedObject.fieldPath': 'f',
      reason: 'R',
      reportingComponent: 'c',
      source: 'c',
      type: 'Normal',
    },
  ],
  [
    'events.events.k8s.io',
    // They are stored as events of the core group.
    '{involvedObject: {kind: Pod, namespace: s, name: p, uid: u, apiVersion: v1, resourceVersion: "5", fieldPath: f}, reason: R, reportingComponent: c, type: Normal}',
    {
      'regarding.kind': 'Pod',
      'regarding.namespace': 's',
      'regarding.name': 'p',
      'regarding.uid': 'u',
      'regarding.apiVersion': 'v1',
      'regarding.resourceVersion': '5',
      'regarding.fieldPath': 'f',
      reason: 'R',
      reportingController: 'c',
      type: 'Normal',
    },
  ],
]
for (const [resource, text, expected] of FIELDS)
  test(`fields that select ${resource}: ${text}`, () => {
    const { value } = decodeYaml(text)
    const object = asKubeObject({ apiVersion: 'v1', kind: 'Any', metadata: { name: 'a' }, ...(isObject(value) ? value : {}) })
    const fields = all.find((d) => nameOf(d) === resource)?.versions[0]?.selectableFields ?? {}
    assert.deepEqual(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field(object)])), expected)
  })

test('no other kind is selected by fields of its own', () =>
  assert.deepEqual(
    all
      .filter((d) => d.versions.some((v) => v.selectableFields !== undefined))
      .map(nameOf)
      .sort(),
    [...new Set(FIELDS.map(([resource]) => resource))].sort(),
  ))
