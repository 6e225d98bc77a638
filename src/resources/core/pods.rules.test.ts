import { ruleTables } from '../rule-table.contract.ts'
import { pods } from './pods.ts'

ruleTables(pods, {
  object: `
metadata: {name: d, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  containers: [{name: main, image: app}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {key: zone, operator: In, values: [a, b]}
              - {key: cores, operator: Gt, values: ["4"]}
              - {key: old, operator: DoesNotExist}
            matchFields: [{key: metadata.name, operator: In, values: [n1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 50, preference: {matchExpressions: [{key: disk, operator: Exists}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: zone
          labelSelector: {matchLabels: {app: db}}
          namespaces: [x]
          namespaceSelector: {}
          matchLabelKeys: [pod-template-hash]
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 10
          podAffinityTerm:
            topologyKey: host
            labelSelector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
  tolerations:
    - {key: k, operator: Equal, value: v, effect: NoExecute, tolerationSeconds: 30}
    - {key: j, operator: Exists, effect: NoSchedule}
    - {operator: Exists}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: zone
      whenUnsatisfiable: DoNotSchedule
      labelSelector: {matchLabels: {app: web}}
      minDomains: 2
      nodeAffinityPolicy: Honor
      nodeTaintsPolicy: Ignore
      matchLabelKeys: [rev]
    - {maxSkew: 2, topologyKey: host, whenUnsatisfiable: ScheduleAnyway}
  serviceAccountName: default
`,
  filled: [
    'spec.containers[0].resources = {}',
    'spec.containers[0].imagePullPolicy = Always',
    'spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.containers[0].terminationMessagePolicy = File',
    'spec.restartPolicy = Always',
    'spec.dnsPolicy = ClusterFirst',
    'spec.schedulerName = default-scheduler',
    'spec.terminationGracePeriodSeconds = 30',
    'spec.securityContext = {}',
    'spec.serviceAccount = default',
    'spec.enableServiceLinks = true',
    'status = {phase: Pending, qosClass: BestEffort}',
  ],
  create: [
    ['-spec', 'spec.containers: Required value'],
    ['spec.containers = [{name: main, image: app}, {name: main, image: app}]', 'spec.containers[1].name: Duplicate value: "main"'],
    [
      '-spec.topologySpreadConstraints[1].maxSkew',
      'spec.topologySpreadConstraints[1].maxSkew: Invalid value: 0: must be greater than zero',
    ],
    [
      'spec.topologySpreadConstraints[1].topologyKey = ""',
      'spec.topologySpreadConstraints[1].topologyKey: Required value: can not be empty',
    ],
    [
      'spec.tolerations[1].operator = Existsx',
      'spec.tolerations[1].operator: Unsupported value: "Existsx": supported values: "Equal", "Exists"',
    ],
    [
      'spec.tolerations[0].effect = ""',
      'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'spec.tolerations[0] = null',
      'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, wh…tch all values and all keys"',
    ],
    [
      'spec.topologySpreadConstraints[0].nodeTaintsPolicy = ""',
      'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
    ],
    [
      'spec.topologySpreadConstraints[0].labelSelector = null',
      'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ],
    [
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy = Honorx',
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "Honorx": supported values: "Honor", "Ignore"',
    ],
    [
      'spec.topologySpreadConstraints[1].whenUnsatisfiable = null',
      'spec.topologySpreadConstraints[1].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms = []',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Req…least one node selector term',
    ],
    [
      '-spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…t a valid field selector key',
    ],
    [
      'spec.tolerations[0].effect = "Bad_Name!"',
      'spec.tolerations[0].effect: Invalid value: "Bad_Name!": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      'spec.tolerations[0].effect: Unsupported value: "Bad_Name!": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator = null',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchEx…ot a valid selector operator',
    ],
    [
      '-spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…ot a valid selector operator',
    ],
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable = ""',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ',
    ],
    [
      '-spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…n `operator` is 'Lt' or 'Gt'",
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable = "Bad_Name!"',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Bad_Name!": supported v…tSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenU…DoNotSchedule, not Bad_Name!',
    ],
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable = DoNotSchedulex',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "DoNotSchedulex": suppor…tSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenU…Schedule, not DoNotSchedulex',
    ],
    [
      'spec.tolerations[0].value = "Bad_Name!"',
      `spec.tolerations[0].operator: Invalid value: "Bad_Name!": a valid label must be an empty string …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.topologySpreadConstraints[0].labelSelector.matchLabels[Bad Key!] = x',
      `spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: "Bad Key!": name par…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.tolerations[0].value = a × 300',
      'spec.tolerations[0].operator: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.tolerations[0].key = a × 300',
      'spec.tolerations[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.topologySpreadConstraints[0].labelSelector.matchLabels.key = "a b!"',
      `spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: "a b!": a valid labe…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaces[0] = ""',
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid v…z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    [
      'spec.topologySpreadConstraints[0].matchLabelKeys[0] = ""',
      'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "": name part must be non-empty',
      `spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "": name part must consist o…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.topologySpreadConstraints[0].labelSelector.matchLabels.app = a × 300',
      'spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels.key = "a b!"',
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.ma…Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].key = "Bad_Name!"',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels.app = a × 300',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchL…ust be no more than 63 bytes',
    ],
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels.app = a × 300',
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.ma…ust be no more than 63 bytes',
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key = a × 300',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchEx…ust be no more than 63 bytes',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key = a × 300',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…ust be no more than 63 bytes',
    ],
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].key = null',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m… name part must be non-empty',
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].m…A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey = ""',
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
      'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Inv… name part must be non-empty',
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Inv…A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0] = null',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchEx…ot a valid selector operator',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchEx… name part must be non-empty',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchEx…A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'spec.topologySpreadConstraints[0].whenUnsatisfiable = a × 300',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "aaaaaaaaaaaaaaaaaaaaaaa…tSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenU…aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    ],
    [
      'spec.affinity.podAffinity = null',
      'warning: spec.topologySpreadConstraints[1].labelSelector: a null labelSelector results in matching no pod',
      '-spec.affinity.podAffinity',
    ],
  ],
})

ruleTables(pods, {
  object: `
metadata: {name: c, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  containers:
    - name: main
      image: "app:latest"
      livenessProbe:
        httpGet:
          path: /live
          port: 8080
          scheme: HTTPS
          host: h.example
          httpHeaders: [{name: X-A, value: b}]
        initialDelaySeconds: 3
        timeoutSeconds: 2
        periodSeconds: 7
        successThreshold: 1
        failureThreshold: 4
        terminationGracePeriodSeconds: 9
      readinessProbe: {tcpSocket: {port: http}, successThreshold: 2}
      startupProbe: {grpc: {port: 9000, service: svc}}
      lifecycle: {postStart: {exec: {command: [hi]}}, preStop: {sleep: {seconds: 5}}}
      ports: [{name: http, containerPort: 80}]
      securityContext:
        runAsUser: 1000
        runAsGroup: 1000
        runAsNonRoot: true
        readOnlyRootFilesystem: true
        allowPrivilegeEscalation: false
        privileged: false
        procMount: Default
        capabilities: {add: [NET_ADMIN], drop: [ALL]}
        seccompProfile: {type: Localhost, localhostProfile: p.json}
        seLinuxOptions: {level: "s0:c1"}
        appArmorProfile: {type: RuntimeDefault}
  securityContext:
    runAsUser: 1
    runAsGroup: 2
    fsGroup: 3
    supplementalGroups: [4, 5]
    supplementalGroupsPolicy: Merge
    fsGroupChangePolicy: OnRootMismatch
    sysctls: [{name: net.ipv4.ip_local_port_range, value: "1024 65535"}]
    seccompProfile: {type: RuntimeDefault}
  hostAliases: [{ip: "10.1.2.3", hostnames: [foo.local, bar.local]}]
  dnsPolicy: None
  dnsConfig: {nameservers: ["1.1.1.1"], searches: [a.example], options: [{name: ndots, value: "2"}]}
  readinessGates: [{conditionType: example.com/ready}]
  schedulingGates: [{name: example.com/gate}]
  imagePullSecrets: [{name: pull}]
  hostNetwork: false
  hostPID: false
  hostIPC: false
  os: {name: linux}
  serviceAccountName: default
`,
  filled: [
    'spec.containers[0].readinessProbe.timeoutSeconds = 1',
    'spec.containers[0].readinessProbe.periodSeconds = 10',
    'spec.containers[0].readinessProbe.failureThreshold = 3',
    'spec.containers[0].startupProbe.timeoutSeconds = 1',
    'spec.containers[0].startupProbe.periodSeconds = 10',
    'spec.containers[0].startupProbe.successThreshold = 1',
    'spec.containers[0].startupProbe.failureThreshold = 3',
    'spec.containers[0].ports[0].protocol = TCP',
    'spec.containers[0].resources = {}',
    'spec.containers[0].imagePullPolicy = Always',
    'spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.containers[0].terminationMessagePolicy = File',
    '-spec.hostNetwork',
    '-spec.hostPID',
    '-spec.hostIPC',
    'spec.restartPolicy = Always',
    'spec.schedulerName = default-scheduler',
    'spec.terminationGracePeriodSeconds = 30',
    'spec.serviceAccount = default',
    'spec.enableServiceLinks = true',
    'status = {phase: Pending, qosClass: BestEffort, conditions: [{type: PodScheduled, status: "False…n-empty scheduling gates"}]}',
  ],
  create: [
    ['-spec.os.name', 'spec.os.name: Required value'],
    ['-spec.containers[0].name', 'spec.containers[0].name: Required value'],
    ['-spec.containers[0].image', 'spec.containers[0].image: Required value'],
    ['metadata.name = null', 'metadata.name: Required value: name or generateName is required'],
    ['spec.securityContext.sysctls[0].name = ""', 'spec.securityContext.sysctls[0].name: Required value'],
    ['-spec.containers[0].ports[0].containerPort', 'spec.containers[0].ports[0].containerPort: Required value'],
    ['spec.os.name = "Bad_Name!"', 'spec.os: Unsupported value: "Bad_Name!": supported values: "linux", "windows"'],
    ['-spec.containers[0].lifecycle.postStart.exec.command', 'spec.containers[0].lifecycle.postStart.exec.command: Required value'],
    ['-spec.containers[0].readinessProbe.tcpSocket', 'spec.containers[0].readinessProbe: Required value: must specify a handler type'],
    ['spec.containers[0].livenessProbe.httpGet = null', 'spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ['-spec.containers[0].lifecycle.preStop.sleep', 'spec.containers[0].lifecycle.preStop: Required value: must specify a handler type'],
    ['spec.securityContext.fsGroup = -1', 'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ['-spec.containers[0].lifecycle.postStart.exec', 'spec.containers[0].lifecycle.postStart: Required value: must specify a handler type'],
    ['-spec.hostAliases[0].ip', 'spec.hostAliases[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    [
      'spec.hostAliases[0] = null',
      'spec.hostAliases[0].ip: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'spec.containers[0].livenessProbe.successThreshold = 70000',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 70000: must be 1',
    ],
    [
      'spec.containers[0].startupProbe.grpc.port = 0',
      'spec.containers[0].startupProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.securityContext.seccompProfile.type = ""',
      'spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
    ],
    [
      'spec.containers[0].livenessProbe.httpGet.port = 0',
      'spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.containers[0].livenessProbe.periodSeconds = -1',
      'spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.containers[0].livenessProbe.timeoutSeconds = -1',
      'spec.containers[0].livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.securityContext.fsGroupChangePolicy = ""',
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "": supported values: "Always", "OnRootMismatch"',
    ],
    [
      '-spec.containers[0].readinessProbe.tcpSocket.port',
      'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.securityContext.supplementalGroupsPolicy = ""',
      'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "": supported values: "Merge", "Strict"',
    ],
    [
      'spec.containers[0].securityContext.runAsUser = -1',
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.containers[0].livenessProbe.failureThreshold = -1',
      'spec.containers[0].livenessProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.containers[0].securityContext.runAsGroup = -1',
      'spec.containers[0].securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.containers[0].readinessProbe.successThreshold = -1',
      'spec.containers[0].readinessProbe.successThreshold: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.containers[0].livenessProbe.initialDelaySeconds = -1',
      'spec.containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.securityContext.supplementalGroups[1] = 2147483648',
      'spec.securityContext.supplementalGroups[1]: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.containers[0].livenessProbe.terminationGracePeriodSeconds = -1',
      'spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: -1: must be greater than 0',
    ],
    [
      'spec.securityContext.seccompProfile.type = "Bad_Name!"',
      'spec.securityContext.seccompProfile.type: Unsupported value: "Bad_Name!": supported values: "Loc…untimeDefault", "Unconfined"',
    ],
    [
      'spec.containers[0].lifecycle.preStop.sleep.seconds = 70000',
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 70000: must be non-negative and less …ationGracePeriodSeconds (30)',
    ],
    [
      'spec.containers[0].securityContext.appArmorProfile.type = RuntimeDefaultx',
      'spec.containers[0].securityContext.appArmorProfile.type: Unsupported value: "RuntimeDefaultx": s…untimeDefault", "Unconfined"',
    ],
    [
      'spec.securityContext.sysctls = [{name: net.ipv4.ip_local_port_range, value: "1024 65535"}, {name: net.ipv4.ip_local_port_range, value: "1024 65535"}]',
      'spec.securityContext.sysctls[1].name: Duplicate value: "net.ipv4.ip_local_port_range"',
    ],
    [
      'spec.containers[0].livenessProbe.httpGet.httpHeaders[0] = null',
      `spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "": a valid HTTP header mus…lidation is '[-A-Za-z0-9]+')`,
    ],
    [
      'spec.containers[0].readinessProbe.tcpSocket.port = ""',
      'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "": must contain only alpha-num… (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "": must contain at least one letter (a-z)',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.readinessGates[0].conditionType = ""',
      'spec.readinessGates[0].conditionType: Invalid value: "": name part must be non-empty',
      `spec.readinessGates[0].conditionType: Invalid value: "": name part must consist of alphanumeric …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.containers[0].readinessProbe.tcpSocket.port = a × 300',
      'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 15 characters',
    ],
    [
      'spec.containers[0].livenessProbe.httpGet.scheme = a × 300',
      'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "aaaaaaaaaaaaaaaaaaaaaaaaaaa…rted values: "HTTP", "HTTPS"',
    ],
    [
      'spec.securityContext.sysctls[0].name = a × 300',
      'spec.securityContext.sysctls[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
    [
      'spec.containers[0].securityContext.privileged = true',
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":{"Add":["NET_ADMIN"],"Drop":[…lse and `privileged` to true',
    ],
    ['-metadata.name && -metadata.labels && -metadata.annotations', 'metadata.name: Required value: name or generateName is required'],
    ['spec.containers[0].startupProbe = null', '-spec.containers[0].startupProbe'],
  ],
  update: [
    ['spec.containers = []', 'spec.containers: Required value', 'spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
})

ruleTables(pods, {
  object: `
metadata: {name: e, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  volumes:
    - {name: empty, emptyDir: {medium: Memory, sizeLimit: "10Mi"}}
    - name: cfg
      configMap: {name: cm, items: [{key: a, path: x/a, mode: 256}], defaultMode: 420, optional: true}
    - {name: sec, secret: {secretName: s, defaultMode: 256}}
    - {name: pvc, persistentVolumeClaim: {claimName: claim, readOnly: false}}
    - {name: host, hostPath: {path: /data, type: DirectoryOrCreate}}
    - name: down
      downwardAPI:
        items:
          - {path: labels, fieldRef: {fieldPath: "metadata.labels['app']"}}
          - {path: mem, resourceFieldRef: {containerName: main, resource: limits.memory, divisor: "1Mi"}}
    - name: proj
      projected:
        defaultMode: 420
        sources:
          - {serviceAccountToken: {path: tok, expirationSeconds: 3600, audience: aud}}
          - {configMap: {name: c2}}
          - {secret: {name: s2}}
          - {downwardAPI: {items: [{path: "n", fieldRef: {fieldPath: metadata.namespace}}]}}
    - {name: nfs, nfs: {server: n.example, path: /x}}
    - {name: csi, csi: {driver: csi.example.com, volumeAttributes: {a: b}}}
    - name: eph
      ephemeral:
        volumeClaimTemplate:
          metadata: {labels: {a: b}}
          spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "1Gi"}}}
    - {name: img, image: {reference: "img:1", pullPolicy: IfNotPresent}}
    - {name: iscsi, iscsi: {targetPortal: "1.2.3.4:3260", iqn: "iqn.2001-04.com.example:storage", lun: 1}}
  serviceAccountName: default
  containers:
    - image: app
      volumeMounts:
        - {name: empty, mountPath: /empty, readOnly: true, recursiveReadOnly: IfPossible}
        - {name: cfg, mountPath: /cfg, subPath: a/b}
        - {name: proj, mountPath: /proj, subPathExpr: "$(POD)", mountPropagation: HostToContainer}
      volumeDevices: [{name: pvc, devicePath: /dev/x}]
      env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
      name: main
`,
  filled: [
    '-spec.volumes[3].persistentVolumeClaim.readOnly',
    'spec.volumes[5].downwardAPI.items[0].fieldRef.apiVersion = v1',
    'spec.volumes[5].downwardAPI.defaultMode = 420',
    'spec.volumes[6].projected.sources[3].downwardAPI.items[0].fieldRef.apiVersion = v1',
    'spec.volumes[9].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
    'spec.volumes[11].iscsi.iscsiInterface = default',
    'spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = v1',
    'spec.containers[0].resources = {}',
    'spec.containers[0].imagePullPolicy = Always',
    'spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.containers[0].terminationMessagePolicy = File',
    'spec.restartPolicy = Always',
    'spec.dnsPolicy = ClusterFirst',
    'spec.schedulerName = default-scheduler',
    'spec.terminationGracePeriodSeconds = 30',
    'spec.securityContext = {}',
    'spec.serviceAccount = default',
    'spec.enableServiceLinks = true',
    'status = {phase: Pending, qosClass: BestEffort}',
  ],
  create: [
    ['-spec.volumes[2].name', 'spec.volumes[2].name: Required value'],
    ['spec.volumes[9] = null', 'spec.volumes[9].name: Required value'],
    ['-spec.volumes[11].iscsi.iqn', 'spec.volumes[11].iscsi.iqn: Required value'],
    ['spec.volumes[7].nfs.server = ""', 'spec.volumes[7].nfs.server: Required value'],
    ['spec.volumes[4].hostPath.path = ""', 'spec.volumes[4].hostPath.path: Required value'],
    ['spec.volumes[2].secret.secretName = ""', 'spec.volumes[2].secret.secretName: Required value'],
    ['spec.volumes[11].iscsi.targetPortal = ""', 'spec.volumes[11].iscsi.targetPortal: Required value'],
    ['spec.volumes[11].iscsi.targetPortal = null', 'spec.volumes[11].iscsi.targetPortal: Required value'],
    ['spec.volumes[5].downwardAPI.items[1].path = ""', 'spec.volumes[5].downwardAPI.path: Required value'],
    ['spec.containers[0].volumeMounts[1].name = cfgx', 'spec.containers[0].volumeMounts[1].name: Not found: "cfgx"'],
    ['spec.containers[0].volumeMounts[0].mountPath = ""', 'spec.containers[0].volumeMounts[0].mountPath: Required value'],
    ['-spec.containers[0].volumeDevices[0].devicePath', 'spec.containers[0].volumeDevices[0].devicePath: Required value'],
    ['spec.volumes[11].iscsi.lun = -1', 'spec.volumes[11].iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive'],
    ['spec.volumes[1] = null', 'spec.volumes[1].name: Required value', 'spec.containers[0].volumeMounts[1].name: Not found: "cfg"'],
    ['spec.volumes[7].nfs.path = "Bad_Name!"', 'spec.volumes[7].nfs.path: Invalid value: "Bad_Name!": must be an absolute path'],
    ['-spec.containers[0].env[0].valueFrom.fieldRef.fieldPath', 'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Required value'],
    [
      '-spec.volumes[5].downwardAPI.items[1].resourceFieldRef.resource',
      'spec.volumes[5].downwardAPI.resourceFieldRef.resource: Required value',
    ],
    [
      '-spec.volumes[7].nfs.path',
      'spec.volumes[7].nfs.path: Required value',
      'spec.volumes[7].nfs.path: Invalid value: "": must be an absolute path',
    ],
    [
      'spec.volumes[1].configMap.name = ""',
      'spec.volumes[1].configMap.name: Required value',
      'spec.containers[0].volumeMounts[1].name: Not found: "cfg"',
    ],
    [
      '-spec.volumes[5].downwardAPI.items[1].resourceFieldRef',
      'spec.volumes[5].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    ],
    [
      'spec.volumes[11].iscsi.iqn = "Bad_Name!"',
      'spec.volumes[11].iscsi.iqn: Invalid value: "Bad_Name!": must be valid format starting with iqn, eui, or naa',
    ],
    [
      '-spec.containers[0].volumeMounts[0].readOnly',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
    ],
    [
      '-spec.volumes[1].configMap.items[0].key',
      'spec.volumes[1].configMap.items[0].key: Required value',
      'spec.containers[0].volumeMounts[1].name: Not found: "cfg"',
    ],
    [
      'spec.volumes[2].secret.defaultMode = -1',
      'spec.volumes[2].secret.defaultMode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes[10].image.pullPolicy = "Bad_Name!"',
      'spec.volumes[10].image.pullPolicy: Unsupported value: "Bad_Name!": supported values: "Always", "IfNotPresent", "Never"',
    ],
    [
      '-spec.volumes[6].projected.sources[0].serviceAccountToken.path',
      'spec.volumes[6].projected.path: Required value',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.volumes[3].persistentVolumeClaim.claimName = null',
      'spec.volumes[3].persistentVolumeClaim.claimName: Required value',
      'spec.containers[0].volumeDevices[0].name: Not found: "pvc"',
    ],
    [
      'spec.volumes[6].projected.sources[2].secret.name = null',
      'spec.volumes[6].projected.sources[2].secret.name: Required value',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.containers[0].volumeMounts[0].recursiveReadOnly = ""',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "": supported values: "Disabled", "Enabled", "IfPossible"',
    ],
    [
      'spec.volumes[3].persistentVolumeClaim = null',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "pvc": can only use volume source type … or Ephemeral for block mode',
    ],
    [
      'spec.volumes[0].emptyDir.sizeLimit = "-1"',
      'spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
      'spec.containers[0].volumeMounts[0].name: Not found: "empty"',
    ],
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath = "Bad_Name!"',
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "Bad_Name!": error conver…bel not supported: Bad_Name!',
    ],
    [
      '-spec.volumes[6].projected.sources[3].downwardAPI.items[0].fieldRef.fieldPath',
      'spec.volumes[6].projected.sources[3].downwardAPI.fieldRef.fieldPath: Required value',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.volumes[1].configMap.items[0].mode = 70000',
      'spec.volumes[1].configMap.items[0].mode: Invalid value: 70000: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.containers[0].volumeMounts[1].name: Not found: "cfg"',
    ],
    [
      'spec.containers[0].volumeDevices = [{name: pvc, devicePath: /dev/x}, {name: pvc, devicePath: /dev/x}]',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "pvc": must be unique',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/dev/x": must be unique',
    ],
    [
      'spec.volumes[6].projected.sources[0].serviceAccountToken.expirationSeconds = 0',
      'spec.volumes[6].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 0: ma…uration less than 10 minutes',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.volumes[5].downwardAPI.items[1].resourceFieldRef.resource = "Bad_Name!"',
      'spec.volumes[5].downwardAPI.resourceFieldRef.resource: Unsupported value: "Bad_Name!": supported…-storage", "requests.memory"',
    ],
    [
      'spec.volumes[6].projected.sources[3].downwardAPI.items[0].fieldRef.fieldPath = "Bad_Name!"',
      'spec.volumes[6].projected.sources[3].downwardAPI.fieldRef.fieldPath: Invalid value: "Bad_Name!":…bel not supported: Bad_Name!',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.volumes[10].name = "Bad_Name!"',
      `spec.volumes[10].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lo…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.volumes[6].projected.sources[3].downwardAPI.items[0].fieldRef.fieldPath = metadata.namespacex',
      'spec.volumes[6].projected.sources[3].downwardAPI.fieldRef.fieldPath: Invalid value: "metadata.na…pported: metadata.namespacex',
      'spec.containers[0].volumeMounts[2].name: Not found: "proj"',
    ],
    [
      'spec.volumes[8].csi.driver = "Bad_Name!"',
      `spec.volumes[8].csi.driver: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must cons…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.volumes[2].name = a × 300',
      'spec.volumes[2].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.containers[0].name = a × 300',
      'spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.volumes[8].csi.driver = a × 300',
      'spec.volumes[8].csi.driver: Too long: may not be more than 63 bytes',
      'spec.volumes[8].csi.driver: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.volumes[5].downwardAPI.items[1].resourceFieldRef.resource = a × 300',
      'spec.volumes[5].downwardAPI.resourceFieldRef.resource: Unsupported value: "aaaaaaaaaaaaaaaaaaaaa…-storage", "requests.memory"',
    ],
    ['-spec.volumes[10].image.reference && -spec.volumes[10].image.pullPolicy', 'spec.volumes[10].image.reference: Required value'],
    [
      '-spec.volumes[9].ephemeral.volumeClaimTemplate.spec.accessModes && -spec.volumes[9].ephemeral.volumeClaimTemplate.spec.resources',
      'spec.volumes[9].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumes[9].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
    [
      '-spec.volumes[1].configMap.items[0].key && -spec.volumes[1].configMap.items[0].path && -spec.volumes[1].configMap.items[0].mode',
      'spec.volumes[1].configMap.items[0].key: Required value',
      'spec.volumes[1].configMap.items[0].path: Required value',
      'spec.containers[0].volumeMounts[1].name: Not found: "cfg"',
    ],
    ['-spec.containers[0].volumeDevices'],
    ['spec.volumes[6].projected.sources = null'],
    ['spec.containers[0].volumeDevices[0].devicePath = "Bad_Name!"'],
    ['spec.containers[0].volumeMounts = []', '-spec.containers[0].volumeMounts'],
    ['-spec.volumes[6].projected.sources[3].downwardAPI', 'warning: volume "proj" (Projected) has no sources provided'],
    ['spec.volumes[6].projected.sources[3].downwardAPI.items = []', '-spec.volumes[6].projected.sources[3].downwardAPI.items'],
    [
      'spec.volumes[5].downwardAPI.items[1].resourceFieldRef.divisor = null',
      'spec.volumes[5].downwardAPI.items[1].resourceFieldRef.divisor = "0"',
    ],
    [
      'spec.volumes[6].projected.sources[0] = null',
      'warning: volume "proj" (Projected) has no sources provided',
      'spec.volumes[6].projected.sources[0] = {}',
    ],
  ],
  status: [
    [
      '-metadata.labels.app && -metadata.labels[example.com/tier] && metadata.labels.changed = "yes" && -spec.volumes && -spec.containers',
      '-metadata.labels.app',
      '-metadata.labels[example.com/tier]',
      'metadata.labels.changed = "yes"',
      '-status.phase',
    ],
  ],
})

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    ['spec.containers[0].securityContext.appArmorProfile = {type: Localhost, localhostProfile: p}'],
    [
      'spec.containers[0].securityContext.appArmorProfile = {type: Localhost}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
    ],
    [
      'spec.containers[0].securityContext.appArmorProfile = {type: Localhost, localhostProfile: ""}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
    ],
    [
      'spec.containers[0].securityContext.appArmorProfile = {type: Localhost, localhostProfile: " p"}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: " p": must not be padded with whitespace',
    ],
    [
      'spec.containers[0].securityContext.appArmorProfile = {type: RuntimeDefault, localhostProfile: p}',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "p": can only be set when AppArmor type is Localhost',
    ],
    ['spec.terminationGracePeriodSeconds = -5', 'spec.terminationGracePeriodSeconds = 1'],
    ['spec.terminationGracePeriodSeconds = 0'],
  ],
})
