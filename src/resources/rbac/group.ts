import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { segmentName } from '../../machinery/validation/object-name.ts'
import { AGE, type ColumnInit, CREATED_AT, define, NAME } from '../define.ts'
import type * as rbac from '../types/rbac.ts'
import type { UncheckedObject } from '../unchecked.ts'
import {
  type Binding,
  type ClusterRole,
  defaultBinding,
  RBAC_GROUP,
  validateAggregation,
  validateRoleRef,
  validateRoleRefKept,
  validateRules,
  validateSubjects,
} from './validation.ts'

type Role = UncheckedObject<rbac.Role>

const roles = define<Role>({
  group: RBAC_GROUP,
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  columns: [NAME, CREATED_AT],
  rules: {
    allowCreateOnUpdate: true,
    validateName: segmentName,
    validateCreate: (object) => validateRules(object.rules, true),
    validateUpdate: (object) => validateRules(object.rules, true),
  },
})

const clusterRoles = define<ClusterRole>({
  group: RBAC_GROUP,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  scope: 'Cluster',
  columns: [NAME, CREATED_AT],
  rules: {
    allowCreateOnUpdate: true,
    validateName: segmentName,
    validateCreate: validateClusterRole,
    validateUpdate: validateClusterRole,
  },
})

function validateClusterRole(object: ClusterRole) {
  return [...validateRules(object.rules, false), ...validateAggregation(object)]
}

const roleBindings = define<Binding>({
  group: RBAC_GROUP,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  columns: bindingColumns(),
  rules: {
    allowCreateOnUpdate: true,
    validateName: segmentName,
    defaults: defaultBinding,
    validateCreate: validateRoleBinding,
    validateUpdate: (object, old) => [...validateRoleBinding(object), ...validateRoleRefKept(object, old)],
  },
})

function validateRoleBinding(object: Binding) {
  return [...validateRoleRef(object.roleRef ?? {}, ['Role', 'ClusterRole']), ...validateSubjects(object.subjects, true)]
}

const clusterRoleBindings = define<Binding>({
  group: RBAC_GROUP,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  scope: 'Cluster',
  columns: bindingColumns(),
  rules: {
    allowCreateOnUpdate: true,
    validateName: segmentName,
    defaults: defaultBinding,
    validateCreate: validateClusterRoleBinding,
    validateUpdate: (object, old) => [...validateClusterRoleBinding(object), ...validateRoleRefKept(object, old)],
  },
})

function validateClusterRoleBinding(object: Binding) {
  return [...validateRoleRef(object.roleRef ?? {}, ['ClusterRole']), ...validateSubjects(object.subjects, false)]
}

function bindingColumns(): readonly ColumnInit<Binding>[] {
  const subjects = (kind: string) => (o: Binding) =>
    (o.subjects ?? [])
      .filter((s) => s.kind === kind)
      .map((s) => (kind === 'ServiceAccount' ? `${s.namespace ?? ''}/${s.name ?? ''}` : (s.name ?? '')))
      .join(', ')
  return [
    NAME,
    { name: 'Role', describes: 'roleRef', cell: (o) => `${o.roleRef?.kind ?? ''}/${o.roleRef?.name ?? ''}` },
    AGE,
    { name: 'Users', priority: 1, description: 'Users bound to the role', cell: subjects('User') },
    { name: 'Groups', priority: 1, description: 'Groups bound to the role', cell: subjects('Group') },
    { name: 'ServiceAccounts', priority: 1, description: 'Service accounts bound to the role', cell: subjects('ServiceAccount') },
  ]
}

export const rbacResources: readonly ResourceDefinition[] = [clusterRoleBindings, clusterRoles, roleBindings, roles]
