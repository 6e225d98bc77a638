import { ruleTables } from '../../rule-table.contract.ts'
import { pods } from '../pods.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  update: [
    ['spec.containers[0].image = other', 'spec.containers[0].image = other'],
    [
      'spec.containers[0].image = ""',
      'spec.containers[0].image: Required value',
      'spec.containers[0].image: Required value',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…Context": null,\n    "Stdin": false,\n    "StdinOnce": false,\n',
    ],
    [
      'spec.containers[0].image = " other"',
      'spec.containers[0].image: Invalid value: " other": must not have leading or trailing whitespace',
      'spec.containers[0].image: Invalid value: " other": must not have leading or trailing whitespace',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…Context": null,\n    "Stdin": false,\n    "StdinOnce": false,\n',
    ],
    ['spec.initContainers = [{name: i, image: x}] -> spec.initContainers[0].image = z', 'spec.initContainers[0].image = z'],
    [
      'spec.initContainers = [{name: i, image: x}] -> spec.initContainers[0].image = ""',
      'spec.initContainers[0].image: Required value',
      'spec.initContainers[0].image: Required value',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…Context": null,\n    "Stdin": false,\n    "StdinOnce": false,\n',
    ],
    ['spec.containers[1] = {name: more, image: x}', 'spec.containers: Forbidden: pod updates may not add or remove containers'],
    ['spec.initContainers = [{name: i, image: x}]', 'spec.initContainers: Forbidden: pod updates may not add or remove containers'],
    [
      'spec.containers[0].command = [x]',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…\n    "Args": null,\n    "WorkingDir": "",\n    "Ports": null,\n',
    ],
    [
      'spec.hostname = h',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…main": "",\n  "SetHostnameAsFQDN": null,\n  "Affinity": null,\n',
    ],
    ['spec.activeDeadlineSeconds = 5', 'spec.activeDeadlineSeconds = 5'],
    ['spec.activeDeadlineSeconds = 5 -> spec.activeDeadlineSeconds = 4', 'spec.activeDeadlineSeconds = 4'],
    [
      'spec.activeDeadlineSeconds = 5 -> spec.activeDeadlineSeconds = 6',
      'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
    ],
    [
      'spec.activeDeadlineSeconds = 5 -> -spec.activeDeadlineSeconds',
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
    ['spec.activeDeadlineSeconds = 5 -> spec.activeDeadlineSeconds = 5'],
    [
      'spec.activeDeadlineSeconds = -1',
      'spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive',
      'spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.activeDeadlineSeconds = 2147483648',
      'spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive',
      'spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.activeDeadlineSeconds = 5 -> spec.activeDeadlineSeconds = 0',
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
    ['spec.tolerations = [{key: k, operator: Exists}]', 'spec.tolerations = [{key: k, operator: Exists}]'],
    [
      'spec.tolerations = [{key: k, operator: Exists}] -> -spec.tolerations',
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists}] -> spec.tolerations[1] = {key: l, operator: Exists}',
      'spec.tolerations = [{key: k, operator: Exists}, {key: l, operator: Exists}]',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists}] -> spec.tolerations[0].key = l',
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}] -> spec.tolerations[0].tolerationSeconds = 9',
      'spec.tolerations[0].tolerationSeconds = 9',
    ],
    [
      'spec.tolerations = [{key: k, operator: Exists}, {key: l, operator: Exists}] -> -spec.tolerations[0]',
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'spec.terminationGracePeriodSeconds = 5',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…ull,\n  "DNSPolicy": "ClusterFirst",\n  "NodeSelector": null,\n',
    ],
    [
      'spec.schedulingGates = [{name: g}]',
      `spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'`,
    ],
    ['spec.schedulingGates = [{name: g}] -> -spec.schedulingGates', '-spec.schedulingGates'],
    ['spec.schedulingGates = [{name: g}, {name: h}] -> -spec.schedulingGates[0]', 'spec.schedulingGates = [{name: h}]'],
    [
      'spec.schedulingGates = [{name: g}] -> spec.schedulingGates[0].name = h',
      `spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'`,
    ],
    [
      'spec.nodeSelector = {a: b}',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…,\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n',
    ],
    ['spec.schedulingGates = [{name: g}] -> spec.nodeSelector = {a: b}', 'spec.nodeSelector = {a: b}'],
    ['spec.schedulingGates = [{name: g}] && spec.nodeSelector = {a: b} -> spec.nodeSelector.c = d', 'spec.nodeSelector.c = d'],
    [
      'spec.schedulingGates = [{name: g}] && spec.nodeSelector = {a: b} -> spec.nodeSelector.a = d',
      'spec.nodeSelector: Invalid value: {"a":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.nodeSelector = {a: b, e: f} -> -spec.nodeSelector',
      'spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}',
      'spec.affinity = {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…t-scheduler",\n  "Tolerations": null,\n  "HostAliases": null,\n',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1] = {key: l, operator: Exists}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions = [{key: k, operator: Exists}, {key: l, operator: Exists}]',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields = [{key: metadata.name, operator: In, values: [a]}]',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields = [{key: metadata.name, operator: In, values: [a]}]',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key = l',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Inva…ull}: only additions are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions = []',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Inva…ull}: only additions are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1] = {matchExpressions: [{key: l, operator: Exists}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid…ns/deletions to non-empty NodeSelectorTerms list are allowed',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Inva…ull}: only additions are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> -spec.affinity',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid…ns/deletions to non-empty NodeSelectorTerms list are allowed',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Odd}]}]}',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].match…perator: Invalid value: "Odd": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Inva…ull}: only additions are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] && spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]} -> spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values = [b]',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Inva…]}]}: only additions are allowed (no mutations or deletions)',
    ],
    [
      'spec.schedulingGates = [{name: g}] -> spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [{weight: 1, preference: {}}]',
      'spec.affinity = {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}}',
    ],
    [
      'spec.schedulingGates = [{name: g}] -> spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [{topologyKey: z, labelSelector: {}}]',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…t-scheduler",\n  "Tolerations": null,\n  "HostAliases": null,\n',
    ],
    [
      'spec.nodeName = m && metadata.annotations[kubernetes.io/config.mirror] = x -> -metadata.annotations',
      'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation',
    ],
    [
      'spec.nodeName = m && metadata.annotations[kubernetes.io/config.mirror] = x -> metadata.annotations[kubernetes.io/config.mirror] = z',
      'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "+1"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
    ],
    [
      'spec.nodeName = m -> metadata.annotations[kubernetes.io/config.mirror] = x',
      'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = unconfined',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: Forbidden: may not add AppArmor annotations',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = unconfined -> -metadata.annotations',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: Forbidden: may not remove or update AppArmor annotations',
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initC…   "Stdin": false,\n    "StdinOnce": false,\n    "TTY": false\n',
    ],
    ['metadata.annotations.a = b -> metadata.annotations.a = c', 'metadata.annotations.a = c'],
  ],
  status: [
    ['status.qosClass = ""', '-status.phase'],
    ['metadata.ownerReferences = [{apiVersion: v1, kind: K, name: n1, uid: u}]', '-status.phase'],
    ['metadata.ownerReferences = [{apiVersion: v1, kind: K, name: n1, uid: u}] -> -metadata.ownerReferences', '-status.phase'],
    ['spec.hostname = h && status.phase = Running', 'status.phase = Running'],
    ['status.podIPs = [{ip: 010.0.0.1}]', 'status.podIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s'],
    [
      'status.podIPs = [{ip: "fd00:0::1"}]',
      'warning: status.podIPs[0].ip: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")',
      '-status.phase',
      'status.podIPs = [{ip: "fd00:0::1"}]',
      'status.podIP = "fd00:0::1"',
    ],
    [
      'status.hostIP = "fd00:0::1" && status.hostIPs = [{ip: "fd00:0::1"}]',
      'warning: status.hostIPs[0].ip: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")',
      '-status.phase',
      'status.hostIP = "fd00:0::1"',
      'status.hostIPs = [{ip: "fd00:0::1"}]',
    ],
    ['status.podIP = 10.0.0.1', '-status.phase', 'status.podIP = "10.0.0.1"', 'status.podIPs = [{ip: "10.0.0.1"}]'],
    [
      'status.podIP = 10.0.0.1 && status.podIPs = [{ip: 10.0.0.2}]',
      '-status.phase',
      'status.podIP = "10.0.0.1"',
      'status.podIPs = [{ip: "10.0.0.1"}]',
    ],
    ['status.podIPs = [{ip: 10.0.0.1}]', '-status.phase', 'status.podIPs = [{ip: "10.0.0.1"}]', 'status.podIP = "10.0.0.1"'],
    [
      'status.podIPs = [{ip: 10.0.0.1}, {ip: 10.0.0.2}]',
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ],
    [
      'status.podIPs = [{ip: 10.0.0.1}, {ip: "fd00::1"}]',
      '-status.phase',
      'status.podIPs = [{ip: "10.0.0.1"}, {ip: "fd00::1"}]',
      'status.podIP = "10.0.0.1"',
    ],
  ],
})
