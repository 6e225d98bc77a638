import { ruleTables } from '../rule-table.contract.ts'
import { storageClasses } from './storageclasses.ts'

ruleTables(storageClasses, {
  object: `
metadata: {name: default}
provisioner: x
`,
  filled: ['reclaimPolicy = Delete', 'volumeBindingMode = Immediate'],
  create: [
    ['-provisioner', 'provisioner: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'provisioner = "Bad_Name!"',
      `provisioner: Invalid value: "bad_name!": name part must consist of alphanumeric characters, '-',…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'provisioner = a × 300',
      'provisioner: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['provisioner = xx', 'provisioner: Invalid value: "xx": field is immutable'],
    ['-provisioner', 'provisioner: Required value', 'provisioner: Invalid value: "": field is immutable'],
    [
      'provisioner = "Bad_Name!"',
      `provisioner: Invalid value: "bad_name!": name part must consist of alphanumeric characters, '-',…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'provisioner: Invalid value: "Bad_Name!": field is immutable',
    ],
    [
      'provisioner = a × 300',
      'provisioner: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'provisioner: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaa": field is immutable',
    ],
  ],
})

ruleTables(storageClasses, {
  object: `
metadata: {name: ns-r}
provisioner: csi.example.com
parameters: {a: b}
reclaimPolicy: Retain
mountOptions: [ro]
allowVolumeExpansion: true
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]
`,
  create: [
    ['-allowedTopologies[0].matchLabelExpressions[0].values', 'allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
    [
      'allowedTopologies[0].matchLabelExpressions[0].key = node-role.kubernetes.io/master',
      'warning: allowedTopologies[0].matchLabelExpressions[0].key: use "node-role.kubernetes.io/control-plane" instead',
    ],
    [
      'allowedTopologies[0].matchLabelExpressions[0].values = [a, a]',
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
    ],
    [
      'allowedTopologies[0].matchLabelExpressions[0].key = "Bad_Name!"',
      `allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "Bad_Name!": name part must co…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      '-allowedTopologies[0].matchLabelExpressions[0].key',
      'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must be non-empty',
      `allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must consist of …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'allowedTopologies[0].matchLabelExpressions[0].key = a × 300',
      'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['reclaimPolicy = ""', 'reclaimPolicy: Invalid value: "": field is immutable'],
    ['parameters.a = bx', 'parameters: Invalid value: {"a":"bx"}: field is immutable'],
    ['allowedTopologies[0] = null', 'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
    [
      'reclaimPolicy = Retainx',
      'reclaimPolicy: Unsupported value: "Retainx": supported values: "Delete", "Retain"',
      'reclaimPolicy: Invalid value: "Retainx": field is immutable',
    ],
    [
      'allowedTopologies[0].matchLabelExpressions = [{key: zone, values: [a]}, {key: zone, values: [a]}]',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
    ],
    [
      '-allowedTopologies[0].matchLabelExpressions[0].key',
      'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must be non-empty',
      `allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must consist of …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'allowedTopologies[0].matchLabelExpressions = [null, {key: zone, values: [a]}]',
      'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
      'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must be non-empty',
      `allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must consist of …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
})
