import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    ['spec.os = {}', 'spec.os.name: Required value'],
    ['spec.os = {name: plan9}', 'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ['spec.os = {name: linux}'],
    ['spec.os = {name: windows}'],
    [
      'spec.os = {name: linux} && spec.containers[0].securityContext = {windowsOptions: {runAsUserName: u}}',
      'spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
    [
      'spec.os = {name: linux} && spec.securityContext = {windowsOptions: {runAsUserName: u}}',
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
    ['spec.os = {name: windows} && spec.containers[0].securityContext = {windowsOptions: {runAsUserName: u}}'],
    ['spec.os = {name: windows} && spec.hostPID = true', 'spec.hostPID: Forbidden: cannot be set for a windows pod'],
    ['spec.os = {name: windows} && spec.hostIPC = true', 'spec.hostIPC: Forbidden: cannot be set for a windows pod'],
    [
      'spec.os = {name: windows} && spec.shareProcessNamespace = true',
      'spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod',
    ],
    ['spec.os = {name: windows} && spec.hostUsers = false', 'spec.hostUsers: Forbidden: cannot be set for a windows pod'],
    ['spec.os = {name: windows} && spec.hostUsers = true', 'spec.hostUsers: Forbidden: cannot be set for a windows pod'],
    ['spec.os = {name: windows} && spec.hostPID = false', '-spec.hostPID'],
    [
      'spec.os = {name: windows} && spec.hostUsers = true && spec.hostPID = true && spec.securityContext = {seLinuxChangePolicy: Recursive, appArmorProfile: {type: RuntimeDefault}}',
      'spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod',
      'spec.hostUsers: Forbidden: cannot be set for a windows pod',
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.seLinuxChangePolicy: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {appArmorProfile: {type: RuntimeDefault}}',
      'spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {seLinuxOptions: {level: s0}}',
      'spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {seccompProfile: {type: RuntimeDefault}}',
      'spec.securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {fsGroup: 1}',
      'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {fsGroupChangePolicy: Always}',
      'spec.securityContext.fsGroupChangePolicy: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {sysctls: [{name: a.b, value: "1"}]}',
      'spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {runAsUser: 1}',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {runAsGroup: 1}',
      'spec.securityContext.runAsGroup: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {supplementalGroups: [1]}',
      'spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.securityContext = {supplementalGroupsPolicy: Merge}',
      'spec.securityContext.supplementalGroupsPolicy: Forbidden: cannot be set for a windows pod',
    ],
    ['spec.os = {name: windows} && spec.securityContext = {runAsNonRoot: true}'],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {appArmorProfile: {type: RuntimeDefault}}',
      'spec.containers[0].securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {seLinuxOptions: {level: s0}}',
      'spec.containers[0].securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {seccompProfile: {type: RuntimeDefault}}',
      'spec.containers[0].securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {capabilities: {add: [A]}}',
      'spec.containers[0].securityContext.capabilities: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {readOnlyRootFilesystem: true}',
      'spec.containers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {privileged: false}',
      'spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {allowPrivilegeEscalation: true}',
      'spec.containers[0].securityContext.allowPrivilegeEscalation: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {procMount: Default}',
      'spec.containers[0].securityContext.procMount: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {runAsUser: 1}',
      'spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.os = {name: windows} && spec.containers[0].securityContext = {runAsGroup: 1}',
      'spec.containers[0].securityContext.runAsGroup: Forbidden: cannot be set for a windows pod',
    ],
    ['spec.os = {name: windows} && spec.containers[0].securityContext = {runAsNonRoot: true}'],
    [
      'spec.os = {name: windows} && spec.initContainers = [{name: i, image: x, securityContext: {runAsUser: 1}}]',
      'spec.initContainers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {hostProcess: true}}',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    [
      'spec.hostNetwork = true && spec.containers[0].securityContext = {windowsOptions: {hostProcess: true}}',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    ['spec.containers[0].securityContext = {windowsOptions: {hostProcess: false}}'],
    [
      'spec.securityContext = {windowsOptions: {hostProcess: false}} && spec.containers[0].securityContext = {windowsOptions: {hostProcess: true}}',
      'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    [
      'spec.securityContext = {windowsOptions: {hostProcess: true}} && spec.containers[0].securityContext = {windowsOptions: {hostProcess: true}}',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    [
      'spec.securityContext = {windowsOptions: {hostProcess: true}}',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {hostProcess: true}} && spec.containers[1] = {name: other, image: x}',
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
    [
      'spec.hostNetwork = true && spec.securityContext = {windowsOptions: {hostProcess: true}} && spec.containers[1] = {name: other, image: x, securityContext: {windowsOptions: {hostProcess: false}}}',
      'spec.containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ],
  ],
})
