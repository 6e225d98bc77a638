import { BOOL, type CelType, DYN, INT, listOf, mapOf, type ObjectType, STRING, TIMESTAMP } from '../types.ts'

/** A structure with known fields. */
export const structType = (name: string, fields: Readonly<Record<string, CelType>>): ObjectType => ({
  kind: 'object',
  name,
  field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
})

const KIND = structType('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING })
const RESOURCE = structType('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING })
const USER = structType('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
})

/** The type of the variable `request` in admission. */
export const REQUEST_TYPE = structType('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
})

/** The type of `namespaceObject`: without managed fields and owner references. */
export const NAMESPACE_TYPE = structType('kubernetes.Namespace', {
  metadata: structType('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: structType('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: structType('kubernetes.NamespaceStatus', {
    conditions: listOf(
      structType('kubernetes.NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
})
