import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { rbacResources } from './group.ts'

ruleTables(definitionOf(rbacResources, 'clusterrolebindings'), {
  object: `
metadata: {name: default}
subjects: [{kind: Group, name: g}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
`,
  filled: ['subjects[0].apiGroup = rbac.authorization.k8s.io'],
  create: [
    ['-subjects[0].name', 'subjects[0].name: Required value'],
    ['-roleRef', 'roleRef.kind: Unsupported value: "": supported values: "ClusterRole"', 'roleRef.name: Required value'],
    ['-subjects[0].kind', 'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
    ['roleRef.apiGroup = "Bad_Name!"', 'roleRef.apiGroup: Unsupported value: "Bad_Name!": supported values: "rbac.authorization.k8s.io"'],
  ],
  update: [
    ['-subjects[0].name', 'subjects[0].name: Required value'],
    ['-subjects[0].kind', 'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
    [
      'roleRef.name = viewx',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"viewx"}: cannot change roleRef',
    ],
    [
      '-roleRef.name',
      'roleRef.name: Required value',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":""}: cannot change roleRef',
    ],
    [
      '-roleRef.kind',
      'roleRef.kind: Unsupported value: "": supported values: "ClusterRole"',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"","Name":"view"}: cannot change roleRef',
    ],
    [
      'roleRef.apiGroup = rbac.authorization.k8s.iox',
      'roleRef.apiGroup: Unsupported value: "rbac.authorization.k8s.iox": supported values: "rbac.authorization.k8s.io"',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.iox","Kind":"ClusterRole","Name":"view"}: cannot change roleRef',
    ],
    ['-subjects', '-subjects'],
  ],
})
