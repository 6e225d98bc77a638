import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec:
  serviceAccountName: default
  containers: [{name: main, image: app}]
  initContainers: [{name: init, image: app}, {name: side, image: app, restartPolicy: Always}]
`,
  create: [
    [
      'spec.containers[0].name = A_b',
      `spec.containers[0].name: Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.containers[0].terminationMessagePolicy = Never',
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "Never": supported values: "File", "FallbackToLogsOnError"',
    ],
    ['spec.containers[0].image = " app"', 'spec.containers[0].image: Invalid value: " app": must not have leading or trailing whitespace'],
    [
      'spec.initContainers[0].image = "app "',
      'spec.initContainers[0].image: Invalid value: "app ": must not have leading or trailing whitespace',
    ],
    ['spec.containers[1] = {name: init, image: x}', 'spec.initContainers[0].name: Duplicate value: "init"'],
    ['spec.initContainers[1].name = init', 'spec.initContainers[1].name: Duplicate value: "init"'],
    ['spec.initContainers[0].name = ""', 'spec.initContainers[0].name: Required value'],
    [
      'spec.initContainers[0].lifecycle = {preStop: {exec: {command: [a]}}}',
      'spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    ['spec.initContainers[1].lifecycle = {preStop: {exec: {command: [a]}}}'],
    [
      'spec.initContainers[0].livenessProbe = {exec: {command: [a]}}',
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [
      'spec.initContainers[1].livenessProbe = {exec: {command: [a]}}',
      'spec.initContainers[1].livenessProbe.timeoutSeconds = 1',
      'spec.initContainers[1].livenessProbe.periodSeconds = 10',
      'spec.initContainers[1].livenessProbe.successThreshold = 1',
      'spec.initContainers[1].livenessProbe.failureThreshold = 3',
    ],
    [
      'spec.initContainers[0].readinessProbe = {exec: {command: [a]}}',
      'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [
      'spec.initContainers[1].readinessProbe = {exec: {command: [a]}}',
      'spec.initContainers[1].readinessProbe.timeoutSeconds = 1',
      'spec.initContainers[1].readinessProbe.periodSeconds = 10',
      'spec.initContainers[1].readinessProbe.successThreshold = 1',
      'spec.initContainers[1].readinessProbe.failureThreshold = 3',
    ],
    [
      'spec.initContainers[0].startupProbe = {exec: {command: [a]}}',
      'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [
      'spec.initContainers[1].startupProbe = {exec: {command: [a]}}',
      'spec.initContainers[1].startupProbe.timeoutSeconds = 1',
      'spec.initContainers[1].startupProbe.periodSeconds = 10',
      'spec.initContainers[1].startupProbe.successThreshold = 1',
      'spec.initContainers[1].startupProbe.failureThreshold = 3',
    ],
    [
      'spec.initContainers[0].resizePolicy = [{resourceName: cpu, restartPolicy: RestartContainer}]',
      `spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to 'RestartContainer' for non-sidecar initContainers`,
    ],
    ['spec.initContainers[0].resizePolicy = [{resourceName: cpu, restartPolicy: NotRequired}]'],
    ['spec.initContainers[1].resizePolicy = [{resourceName: cpu, restartPolicy: NotRequired}]'],
    ['spec.initContainers[0].restartPolicy = Never'],
    [
      'spec.initContainers[0].restartPolicy = Sometimes',
      'spec.initContainers[0].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
    ],
    ['spec.containers[0].restartPolicy = Always'],
    [
      'spec.containers[0].restartPolicy = Often',
      'spec.containers[0].restartPolicy: Unsupported value: "Often": supported values: "Always", "Never", "OnFailure"',
    ],
    [
      'spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [1]}}]',
      'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [1]}}]',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: RestartAllContainers, exitCodes: {operator: NotIn, values: [1]}}]',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Stop, exitCodes: {operator: In, values: [1]}}]',
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart}]',
      'spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: Like, values: [1]}}]',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Like": supported values: "In", "NotIn"',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{exitCodes: {values: []}}]',
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "": supported values: "Restart", "RestartAllContainers"',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}]',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}, {action: Restart, exitCodes: {operator: In, values: [1]}}]',
      'spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255]}}]',
    ],
    [
      'spec.containers[0].restartPolicy = Never && spec.containers[0].restartPolicyRules = [{action: Restart, exitCodes: {operator: In, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255]}}]',
      'spec.containers[0].restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items',
    ],
    [
      'spec.containers[0].ports = [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]',
      'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
    ],
    [
      'spec.containers[0].ports = [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80, protocol: UDP}]',
      'spec.containers[0].ports[0].protocol = TCP',
    ],
    [
      'spec.containers[0].ports = [{containerPort: 80, hostPort: 80, hostIP: 10.0.0.1}, {containerPort: 81, hostPort: 80, hostIP: 10.0.0.2}]',
      'spec.containers[0].ports[0].protocol = TCP',
      'spec.containers[0].ports[1].protocol = TCP',
    ],
    [
      'spec.containers[0].ports = [{containerPort: 80, name: a}, {containerPort: 81, name: a}]',
      'spec.containers[0].ports[1].name: Duplicate value: "a"',
    ],
    ['spec.ephemeralContainers = [{name: e, image: x}]', 'spec.ephemeralContainers: Forbidden: cannot be set on create'],
    [
      'spec.hostNetwork = true && spec.containers[0].ports = [{containerPort: 80}]',
      'spec.containers[0].ports[0].protocol = TCP',
      'spec.containers[0].ports[0].hostPort = 80',
    ],
    [
      'spec.hostNetwork = true && spec.containers[0].ports = [{containerPort: 80, hostPort: 81}]',
      'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
    ],
    [
      'spec.hostNetwork = true && spec.initContainers[0].ports = [{containerPort: 80, hostPort: 81}]',
      'spec.initContainers[0].ports[0].protocol = TCP',
    ],
    ['spec.hostUsers = false && spec.hostNetwork = true', 'spec.hostNetwork: Forbidden: when `hostUsers` is false'],
    ['spec.hostUsers = false && spec.hostPID = true', 'spec.HostPID: Forbidden: when `hostUsers` is false'],
    ['spec.hostUsers = false && spec.hostIPC = true', 'spec.HostIPC: Forbidden: when `hostUsers` is false'],
    ['spec.hostUsers = false'],
    ['spec.hostUsers = true && spec.hostPID = true'],
    ['spec.terminationGracePeriodSeconds = -1', 'spec.terminationGracePeriodSeconds = 1'],
    [
      'spec.containers[0].resources = {requests: {memory: 1Gi}} && spec.resources = {requests: {cpu: 3}}',
      'spec.resources.requests.cpu = "3"',
      'status.qosClass = Burstable',
    ],
    ['spec.terminationGracePeriodSeconds = 0'],
  ],
  parts: {
    ephemeralcontainers: [
      [
        'spec.ephemeralContainers = [{name: e, image: x, terminationMessagePolicy: File, imagePullPolicy: Always}]',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, terminationMessagePolicy: File, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log}]',
      ],
      ['spec.ephemeralContainers = [{name: main, image: x}]', 'spec.ephemeralContainers[0].name: Duplicate value: "main"'],
      ['spec.ephemeralContainers = [{name: e, image: x}, {name: e, image: x}]', 'spec.ephemeralContainers[1].name: Duplicate value: "e"'],
      [
        'spec.ephemeralContainers = [{name: e, image: " x"}]',
        'spec.ephemeralContainers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, targetContainerName: main}]',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, targetContainerName: main, imagePullP…Path: /dev/termination-log, terminationMessagePolicy: File}]',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, targetContainerName: other}]',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "other"',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, targetContainerName: e}]',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "e"',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, ports: [{containerPort: 80}]}]',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, resources: {limits: {cpu: 1}}}]',
        'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}]',
        'spec.ephemeralContainers[0].resizePolicy: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, restartPolicy: Always}]',
        'spec.ephemeralContainers[0].restartPolicy: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, livenessProbe: {exec: {command: [a]}}}]',
        'spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, readinessProbe: {exec: {command: [a]}}}]',
        'spec.ephemeralContainers[0].readinessProbe: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, startupProbe: {exec: {command: [a]}}}]',
        'spec.ephemeralContainers[0].startupProbe: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, lifecycle: {preStop: {exec: {command: [a]}}}}]',
        'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, ports: []}]',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, resources: {limits: {}}}]',
        'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, lifecycle: {}}]',
        'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, lifecycle: {stopSignal: SIGTERM}}]',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}}]',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]',
      ],
      [
        'spec.volumes = [{name: v, emptyDir: {}}] -> spec.ephemeralContainers = [{name: e, image: x, volumeMounts: [{name: v, mountPath: /v, subPath: s}]}]',
        'spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.volumes = [{name: v, emptyDir: {}}] -> spec.ephemeralContainers = [{name: e, image: x, volumeMounts: [{name: v, mountPath: /v, subPathExpr: s}]}]',
        'spec.ephemeralContainers[0].volumeMounts[0].subPathExpr: Forbidden: cannot be set for an Ephemeral Container',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x}] -> -spec.ephemeralContainers',
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x}] -> spec.ephemeralContainers[0].image = z',
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n@@ -1,6 +1…"z",\n  "Command": null,\n  "Args": null,\n  "WorkingDir": "",\n',
      ],
      [
        'spec.ephemeralContainers = [{name: e, image: x}] -> spec.ephemeralContainers[1] = {name: f, image: x}',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, imagePullPolicy: Always, terminationM…Path: /dev/termination-log, terminationMessagePolicy: File}]',
      ],
      [
        'metadata.annotations = {kubernetes.io/config.mirror: x} && spec.nodeName = m -> spec.ephemeralContainers = [{name: e, image: x}]',
        '[]: Forbidden: static pods do not support ephemeral containers',
      ],
      [
        'metadata.labels.a = b && spec.containers[0].image = other && spec.ephemeralContainers = [{name: e, image: x}]',
        'spec.ephemeralContainers = [{name: e, image: x, resources: {}, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]',
      ],
    ],
    resize: [
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 2}}',
        'spec.containers[0].resources.requests.cpu = "2"',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> -spec.containers[0].resources',
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1, ephemeral-storage: 1Gi}} -> -spec.containers[0].resources.requests.ephemeral-storage',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1, memory: 1Gi}} -> -spec.containers[0].resources.requests.cpu',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> -spec.containers[0].resources.requests',
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}, limits: {cpu: 2}} -> -spec.containers[0].resources.limits',
        'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 1}, limits: {cpu: 1, memory: 1Gi}}',
        'spec.containers[0].resources.requests.memory = "1Gi"',
        'spec.containers[0].resources.limits = {cpu: "1", memory: "1Gi"}',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}} -> spec.containers[0].resources = {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2, memory: 1Gi}}',
        'spec.containers[0].resources.limits.cpu = "2"',
      ],
      [
        'spec.containers[0].resources = {limits: {cpu: 1, a.b/gpu: 1}} -> spec.containers[0].resources = {requests: {a.b/gpu: 2, cpu: 1}, limits: {cpu: 2, a.b/gpu: 2}}',
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].image = other && spec.containers[0].resources.requests.cpu = 2',
        'spec.containers[0].resources.requests.cpu = "2"',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resizePolicy = [{resourceName: cpu, restartPolicy: NotRequired}]',
        'spec: Forbidden: only cpu and memory resources are mutable',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[1] = {name: more, image: x}',
        'spec.containers: Forbidden: containers may not be added or removed on resize',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> -spec.initContainers[0]',
        'spec.initContainers: Forbidden: initContainers may not be added or removed on resize',
      ],
      [
        'spec.initContainers[1].resources = {requests: {cpu: 1}} -> spec.initContainers[1].resources = {requests: {cpu: 2}}',
        'spec.initContainers[1].resources.requests.cpu = "2"',
      ],
      [
        'spec.initContainers[0].resources = {requests: {cpu: 1}} -> spec.initContainers[0].resources = {requests: {cpu: 1}, limits: {example.com/gpu: 1}}',
        'spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable',
      ],
      [
        'spec.os = {name: windows} && spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 2}, limits: {cpu: 1}}',
        '[]: Forbidden: windows pods cannot be resized',
      ],
      [
        'spec.os = {name: windows} && spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 2}}',
        '[]: Forbidden: windows pods cannot be resized',
      ],
      [
        'metadata.annotations = {kubernetes.io/config.mirror: x} && spec.nodeName = m && spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 2}}',
        '[]: Forbidden: static pods cannot be resized',
      ],
      [
        'spec.resources = {requests: {cpu: 2}} && spec.containers[0].resources = {requests: {cpu: 1}} -> spec.resources = {requests: {cpu: 3}}',
        'spec.resources.requests.cpu = "3"',
      ],
      [
        'spec.containers[0].resources = {requests: {cpu: 1}} -> spec.containers[0].resources = {requests: {cpu: 2}} && metadata.labels.a = b',
        'spec.containers[0].resources.requests.cpu = "2"',
      ],
    ],
  },
})
