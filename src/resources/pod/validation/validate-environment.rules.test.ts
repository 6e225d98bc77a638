import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    ['spec.containers[0].env = [{value: x}]', 'spec.containers[0].env[0].name: Required value'],
    [
      'spec.containers[0].env = [{name: "a=b"}]',
      `spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
    ['spec.containers[0].env = [{name: "a b"}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {}}]',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    ],
    [
      'spec.containers[0].env = [{name: E, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.name}, secretKeyRef: {name: s, key: k}}}]',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: spec.host}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: status.hostIPs}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: status.podIPs}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a']"}}}]`,
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['A']"}}}]`,
      'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.labels['']"}}}]`,
      'spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: "": name part must be non-empty',
      `spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: "": name part must consist of alphanume…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a b']"}}}]`,
      `spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: "a b": name part must consist of alphan…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['A b']"}}}]`,
      `spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: "a b": name part must consist of alphan…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "spec['a']"}}}]`,
      `spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec['a']": error converting fieldPath: field label does not support subscript: spec['a']`,
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": suppor…s.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.annotations}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.annotations": s…s.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: spec.other}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.other": error converting fieldPath: field label not supported: spec.other',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: ""}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Required value',
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "['a']"}}}]`,
      `spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "['a']": error converting fieldPath: field label not supported: ['a']`,
    ],
    [
      `spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a'"}}}]`,
      `spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.labels['a'": error converting fieldPath: field label not supported: metadata.labels['a'`,
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fieldRef: {apiVersion: v2, fieldPath: metadata.name}}}]',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: requests.memory}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.ephemeral-storage}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: requests.hugepages-1Gi}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.disk}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.disk": sup…quests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: ""}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Required value',
    ],
    ['spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 2}}}]',
      `spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
    ['spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 3}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.memory": only d…i, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
    ],
    ['spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: requests.ephemeral-storage, divisor: 1M}}}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: requests.ephemeral-storage, divisor: 5}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.ephemeral-sto… 1Ei are supported with the local ephemeral storage resource',
    ],
    ['spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi, divisor: 1Mi}}}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi, divisor: 7}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.hugepages-2Mi":…1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 0}}}]',
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor = "0"',
    ],
    ['spec.containers[0].env = [{name: E, valueFrom: {configMapKeyRef: {name: m, key: k}}}]'],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {configMapKeyRef: {name: M, key: k}}}]',
      `spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: "M": a lowercase RFC 1123 s…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {configMapKeyRef: {name: m}}}]',
      'spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Required value',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {configMapKeyRef: {name: m, key: "a b"}}}]',
      `spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: "a b": a valid config key mu… 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {secretKeyRef: {name: "", key: k}}}]',
      `spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: "": a lowercase RFC 1123 subdo…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {secretKeyRef: {name: s, key: ..k}}}]',
      `spec.containers[0].env[0].valueFrom.secretKeyRef.key: Invalid value: "..k": must not start with '..'`,
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.optional = false',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {path: p, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Required value',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: ""',
    ],
    [
      'spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: w, path: p, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "w"',
    ],
    [
      'spec.volumes = [{name: w, configMap: {name: c}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: w, path: p, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "w": referenced volume must be of type emptyDir',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.path: Required value',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, path: p}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, path: a/../p, key: K}}}]',
      'spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: "a/../p": must not contain \'..\'',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: "a=b"}}}]',
      `spec.containers[0].env[0].valueFrom.fileKeyRef.key: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].env = [{name: E, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: K}, secretKeyRef: {name: s, key: k}}}]',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
    ['spec.containers[0].envFrom = [{configMapRef: {name: m}}]'],
    ['spec.containers[0].envFrom = [{secretRef: {name: s}}]'],
    ['spec.containers[0].envFrom = [{prefix: P_, secretRef: {name: s}}]'],
    [
      'spec.containers[0].envFrom = [{prefix: "a=", secretRef: {name: s}}]',
      `spec.containers[0].envFrom[0].prefix: Invalid value: "a=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
    ['spec.containers[0].envFrom = [{secretRef: {name: ""}}]', 'spec.containers[0].envFrom[0].secretRef.name: Required value'],
    [
      'spec.containers[0].envFrom = [{configMapRef: {name: M}}]',
      `spec.containers[0].envFrom[0].configMapRef.name: Invalid value: "M": a lowercase RFC 1123 subdomain …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.containers[0].envFrom = [{}]',
      'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
    ],
    [
      'spec.containers[0].envFrom = [{configMapRef: {name: m}, secretRef: {name: s}}]',
      'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
  ],
})
