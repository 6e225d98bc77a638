import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    [
      'metadata.annotations[kubernetes.io/config.mirror] = x',
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ],
    ['spec.nodeName = m && metadata.annotations[kubernetes.io/config.mirror] = x'],
    ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "0"'],
    ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "-1"'],
    ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "2147483647"'],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "2147483648"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "2147483648": must be a 32bit integer',
    ],
    ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "-2147483648"'],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "-2147483649"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "-2147483649": must be a 32bit integer',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "01"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "01": must be a 32bit integer',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "+1"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = "1.5"',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "1.5": must be a 32bit integer',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = x',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "x": must be a 32bit integer',
    ],
    [
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost] = ""',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "": must be a 32bit integer',
    ],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod] = docker/default && spec.securityContext = {seccompProfile: {type: Unconfined}}',
      'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
    ],
    [
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/main] = localhost/p && spec.containers[0].securityContext = {seccompProfile: {type: Localhost, localhostProfile: q}}',
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = runtime/default',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'spec.containers[0].securityContext = {appArmorProfile: {type: RuntimeDefault}}',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = unconfined',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'spec.containers[0].securityContext = {appArmorProfile: {type: Unconfined}}',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = localhost/p && spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: q}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = localhost/p',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: p}}',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = localhost/',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = odd',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: Invalid value: "odd": invalid AppArmor profile name: "odd"',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = ""',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other] = runtime/default',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/other]: Invalid value: "other": container not found',
    ],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = unconfined && spec.containers[0].securityContext = {appArmorProfile: {type: RuntimeDefault}}',
      'spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
    ],
    ['spec.os = {name: windows} && metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] = unconfined'],
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/i] = localhost/p && spec.initContainers = [{name: i, image: x}]',
      'warning: metadata.annotations[container.apparmor.security.beta.kubernetes.io/i]: deprecated since v1.30; use the "appArmorProfile" field instead',
      'spec.initContainers[0].resources = {}',
      'spec.initContainers[0].imagePullPolicy = Always',
      'spec.initContainers[0].terminationMessagePath = /dev/termination-log',
      'spec.initContainers[0].terminationMessagePolicy = File',
      'spec.initContainers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: p}}',
    ],
    [
      'metadata.annotations[security.alpha.kubernetes.io/sysctls] = x',
      'warning: metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
    ],
    ['metadata.annotations[security.alpha.kubernetes.io/sysctls2] = x'],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod] = x',
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile',
    ],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod] = "localhost//x"',
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "/x": must be a relative path',
    ],
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod] = runtime/default',
      'warning: metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
    [
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/any] = x',
      'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/any: Invalid value: "x": must be a valid seccomp profile',
    ],
    [
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/main] = docker/default',
      'warning: metadata.annotations[container.seccomp.security.alpha.kubernetes.io/main]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
    [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod] = x',
      'warning: metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    ],
  ],
})
