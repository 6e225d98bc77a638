import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    [
      'spec.containers[0].securityContext = {privileged: true}',
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    ],
    ['spec.containers[0].securityContext = {privileged: false}'],
    [
      'spec.containers[0].securityContext = {runAsUser: -1}',
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    ['spec.containers[0].securityContext = {runAsUser: 0}'],
    [
      'spec.containers[0].securityContext = {runAsGroup: 2147483648}',
      'spec.containers[0].securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
    ],
    ['spec.containers[0].securityContext = {procMount: Default}'],
    [
      'spec.containers[0].securityContext = {procMount: Odd}',
      'spec.containers[0].securityContext.procMount: Unsupported value: "Odd": supported values: "Default", "Unmasked"',
    ],
    [
      'spec.containers[0].securityContext = {procMount: Unmasked}',
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
    ['spec.hostUsers = false && spec.containers[0].securityContext = {procMount: Unmasked}'],
    [
      'spec.containers[0].securityContext = {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}',
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":n…egeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
    ],
    ['spec.containers[0].securityContext = {allowPrivilegeEscalation: true, capabilities: {add: [CAP_SYS_ADMIN]}}'],
    ['spec.containers[0].securityContext = {allowPrivilegeEscalation: false, capabilities: {add: [NET_ADMIN]}}'],
    ['spec.containers[0].securityContext = {seccompProfile: {type: RuntimeDefault}}'],
    ['spec.containers[0].securityContext = {seccompProfile: {type: Unconfined}}'],
    [
      'spec.containers[0].securityContext = {seccompProfile: {type: Odd}}',
      'spec.containers[0].securityContext.seccompProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
    [
      'spec.containers[0].securityContext = {seccompProfile: {}}',
      'spec.containers[0].securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
    ],
    [
      'spec.containers[0].securityContext = {seccompProfile: {type: Localhost}}',
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
    ['spec.containers[0].securityContext = {seccompProfile: {type: Localhost, localhostProfile: p}}'],
    [
      'spec.containers[0].securityContext = {seccompProfile: {type: Localhost, localhostProfile: ../p}}',
      `spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "../p": must not contain '..'`,
    ],
    [
      'spec.containers[0].securityContext = {seccompProfile: {type: Localhost, localhostProfile: /p}}',
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/p": must be a relative path',
    ],
    [
      'spec.containers[0].securityContext = {seccompProfile: {type: RuntimeDefault, localhostProfile: p}}',
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeD…rofile":"p"}: can only be set when seccomp type is Localhost',
    ],
    [
      'spec.securityContext = {seccompProfile: {type: Odd}}',
      'spec.securityContext.seccompProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
    [
      'spec.securityContext = {seccompProfile: {type: Localhost}}',
      'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
    ['spec.containers[0].securityContext = {appArmorProfile: {type: RuntimeDefault}}'],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Odd}}',
      'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {}}',
      'spec.containers[0].securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
    ],
    ['spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: p}}'],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: " p"}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: " p": must not be padded with whitespace',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: ""}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Unconfined, localhostProfile: p}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "p": can only be set when AppArmor type is Localhost',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp}}',
    ],
    [
      'spec.containers[0].securityContext = {appArmorProfile: {type: Localhost, localhostProfile: pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp}}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes',
    ],
    [
      'spec.securityContext = {appArmorProfile: {type: Odd}}',
      'spec.securityContext.appArmorProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
    ['spec.containers[0].securityContext = {windowsOptions: {gmsaCredentialSpecName: a.b}}'],
    [
      'spec.containers[0].securityContext = {windowsOptions: {gmsaCredentialSpecName: A}}',
      `spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": a lowe…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.containers[0].securityContext = {windowsOptions: {gmsaCredentialSpec: x}}'],
    [
      'spec.containers[0].securityContext = {windowsOptions: {gmsaCredentialSpec: ""}}',
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
    ],
    ['spec.containers[0].securityContext = {windowsOptions: {runAsUserName: ContainerUser}}'],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: ""}}',
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: "a\\tb"}}',
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\tb": runAsUserName cannot contain control characters',
    ],
    [`spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'a\\b'}}`],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'a\\b\\c'}}`,
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
    ],
    [`spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'a.example.com\\b'}}`],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: '-a*\\b'}}`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "-a*\\\\b": runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
    ],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: '.a\\b'}}`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: ".a\\\\b": runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
    ],
    [`spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'ABCDEFGHIJKLMNO\\b'}}`],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'ABCDEFGHIJKLMN_O\\b'}}`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "ABCDEFGHIJKLMN_O\\\\b": runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
    ],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'a\\'}}`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\": runAsUserName's User cannot be empty`,
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: " "}}',
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: " ": runAsUserName's User cannot contain only periods or spaces`,
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: ". ."}}',
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: ". .": runAsUserName's User cannot contain only periods or spaces`,
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: "a+b"}}',
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a+b": runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`,
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: "a@b"}}',
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a@b": runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`,
    ],
    ['spec.containers[0].securityContext = {windowsOptions: {runAsUserName: a.b}}'],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu}}',
    ],
    [
      'spec.containers[0].securityContext = {windowsOptions: {runAsUserName: uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu}}',
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "uuuuuuuuuuuuuuuuuuu…serName's User length must not be longer than 104 characters`,
    ],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\\u'}}`,
    ],
    [
      `spec.containers[0].securityContext = {windowsOptions: {runAsUserName: 'ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd.dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\\u'}}`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "ddddddddddddddddddd…: runAsUserName's Domain length must be under 256 characters`,
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "ddddddddddddddddddd…: runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
    ],
    ['spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec = x × 65536'],
    [
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec = x × 65537',
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "xxxxxxxxxxxxxx…xxxxxxxxxxxxx": gmsaCredentialSpec size must be under 64 KiB',
    ],
    [
      'spec.securityContext = {windowsOptions: {runAsUserName: ""}}',
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
    ],
    [
      'spec.securityContext = {fsGroup: -1}',
      'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.securityContext = {supplementalGroups: [1, -1]}',
      'spec.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.securityContext = {fsGroupChangePolicy: Odd}',
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Odd": supported values: "Always", "OnRootMismatch"',
    ],
    ['spec.securityContext = {fsGroupChangePolicy: Always}'],
    [
      'spec.securityContext = {seLinuxChangePolicy: Odd}',
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "Odd": supported values: "Recursive"',
    ],
    ['spec.securityContext = {seLinuxChangePolicy: Recursive}'],
    ['spec.securityContext = {supplementalGroupsPolicy: Strict}'],
    [
      'spec.hostPID = true && spec.shareProcessNamespace = true',
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
    [
      'spec.hostPID = true && spec.shareProcessNamespace = true && spec.securityContext = {fsGroup: 1}',
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
    ['spec.shareProcessNamespace = true'],
    ['spec.securityContext = {sysctls: [{name: kernel.shm_rmid_forced, value: "1"}]}'],
    ['spec.securityContext = {sysctls: [{name: net/ipv4/tcp_syncookies, value: "1"}]}'],
    [
      'spec.securityContext = {sysctls: [{name: a..b, value: "1"}]}',
      'spec.securityContext.sysctls[0].name: Invalid value: "a..b": must have at most 253 characters and ma…([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    [
      'spec.securityContext = {sysctls: [{name: -a, value: "1"}]}',
      'spec.securityContext.sysctls[0].name: Invalid value: "-a": must have at most 253 characters and matc…([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    [
      'spec.securityContext = {sysctls: [{name: a_, value: "1"}]}',
      'spec.securityContext.sysctls[0].name: Invalid value: "a_": must have at most 253 characters and matc…([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    [
      'spec.securityContext = {sysctls: [{name: A, value: "1"}]}',
      'spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match…([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    ['spec.securityContext = {sysctls: [{name: net.ipv4.conf.eth0/1.x, value: "1"}]}'],
    [
      'spec.securityContext = {sysctls: [{name: a.b, value: "1"}, {name: a.b, value: "2"}]}',
      'spec.securityContext.sysctls[1].name: Duplicate value: "a.b"',
    ],
    [
      'spec.securityContext = {sysctls: [{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, value: "1"}]}',
    ],
    [
      'spec.securityContext = {sysctls: [{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, value: "1"}]}',
      'spec.securityContext.sysctls[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    [
      'spec.hostNetwork = true && spec.securityContext = {sysctls: [{name: net.core.somaxconn, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be specified when 'hostNetwork' is true`,
    ],
    [
      'spec.hostNetwork = true && spec.securityContext = {sysctls: [{name: net/core/somaxconn, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "net/core/somaxconn": may not be specified when 'hostNetwork' is true`,
    ],
    ['spec.hostNetwork = true && spec.securityContext = {sysctls: [{name: kernel.sem, value: "1"}]}'],
    ['spec.hostNetwork = true && spec.securityContext = {sysctls: [{name: netx.core, value: "1"}]}'],
    ['spec.hostIPC = true && spec.securityContext = {sysctls: [{name: net.core.somaxconn, value: "1"}]}'],
    [
      'spec.hostIPC = true && spec.securityContext = {sysctls: [{name: kernel.sem, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "kernel.sem": may not be specified when 'hostIPC' is true`,
    ],
    [
      'spec.hostIPC = true && spec.securityContext = {sysctls: [{name: kernel/sem, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "kernel/sem": may not be specified when 'hostIPC' is true`,
    ],
    [
      'spec.hostIPC = true && spec.securityContext = {sysctls: [{name: kernel.shmmax, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "kernel.shmmax": may not be specified when 'hostIPC' is true`,
    ],
    [
      'spec.hostIPC = true && spec.securityContext = {sysctls: [{name: kernel.msgmax, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "kernel.msgmax": may not be specified when 'hostIPC' is true`,
    ],
    [
      'spec.hostIPC = true && spec.securityContext = {sysctls: [{name: fs.mqueue.x, value: "1"}]}',
      `spec.securityContext.sysctls[0].name: Invalid value: "fs.mqueue.x": may not be specified when 'hostIPC' is true`,
    ],
    ['spec.hostIPC = true && spec.securityContext = {sysctls: [{name: kernel.semi, value: "1"}]}'],
    ['spec.hostIPC = true && spec.securityContext = {sysctls: [{name: fs.mqueuex, value: "1"}]}'],
  ],
})
