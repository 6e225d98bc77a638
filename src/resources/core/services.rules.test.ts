import { ruleTables } from '../rule-table.contract.ts'
import { services } from './services.ts'

ruleTables(services, {
  object: `
metadata: {name: s3, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}], externalTrafficPolicy: Local}
`,
  filled: [
    'spec.ports[0].targetPort = 80',
    'spec.ports[0].protocol = TCP',
    'spec.sessionAffinity = None',
    'spec.internalTrafficPolicy = Cluster',
    'status = {loadBalancer: {}}',
  ],
  create: [
    ['-spec.type', 'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    [
      'spec.externalTrafficPolicy = Localx',
      'spec.externalTrafficPolicy: Unsupported value: "Localx": supported values: "Cluster", "Local"',
    ],
    [
      '-spec.ports[0].port',
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  update: [
    ['-spec', 'spec.ports: Required value'],
    ['-spec.ports', 'spec.ports: Required value'],
    [
      'spec.type = NodePortx',
      'spec.type: Unsupported value: "NodePortx": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      '-spec.ports[0].port',
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
})

ruleTables(services, {
  object: `
metadata: {name: s4, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  type: LoadBalancer
  selector: {app: web}
  ports: [{port: 80, name: a}, {port: 443, name: b}]
  loadBalancerClass: example.com/lb
  loadBalancerSourceRanges: ["10.0.0.0/8"]
  allocateLoadBalancerNodePorts: false
  externalTrafficPolicy: Cluster
`,
  filled: [
    'spec.ports[0].targetPort = 80',
    'spec.ports[0].protocol = TCP',
    'spec.ports[1].targetPort = 443',
    'spec.ports[1].protocol = TCP',
    'spec.sessionAffinity = None',
    'spec.internalTrafficPolicy = Cluster',
    'status = {loadBalancer: {}}',
  ],
  create: [
    [
      'spec.loadBalancerSourceRanges[0] = ""',
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.ports = [{port: 80, name: a}, {port: 80, name: a}, {port: 443, name: b}]',
      'spec.ports[1].name: Duplicate value: "a"',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower case…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.loadBalancerClass = "Bad_Name!"',
      `spec.loadBalancerClass: Invalid value: "Bad_Name!": name part must consist of alphanumeric chara…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.loadBalancerClass = ""',
      'spec.loadBalancerClass: Invalid value: "": name part must be non-empty',
      `spec.loadBalancerClass: Invalid value: "": name part must consist of alphanumeric characters, '-…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.loadBalancerClass = a × 300',
      'spec.loadBalancerClass: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    [
      'spec.externalTrafficPolicy = Clusterx',
      'spec.externalTrafficPolicy: Unsupported value: "Clusterx": supported values: "Cluster", "Local"',
    ],
    [
      'spec.loadBalancerSourceRanges[0] = ""',
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.loadBalancerClass = "Bad_Name!"',
      'spec.loadBalancerClass: Invalid value: "Bad_Name!": may not change once set',
      `spec.loadBalancerClass: Invalid value: "Bad_Name!": name part must consist of alphanumeric chara…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.loadBalancerClass: Invalid value: "Bad_Name!": name part must consist of alphanumeric chara…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  status: [
    [
      '-metadata.labels.app && -metadata.labels[example.com/tier] && metadata.labels.changed = "yes" && -spec.type && -spec.selector && -spec.ports && -spec.loadBalancerClass && -spec.loadBalancerSourceRanges && -spec.allocateLoadBalancerNodePorts && -spec.externalTrafficPolicy',
      '-metadata.labels.app',
      '-metadata.labels[example.com/tier]',
      'metadata.labels.changed = "yes"',
    ],
  ],
})

ruleTables(services, {
  object: `
metadata: {name: s1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  type: ClusterIP
  selector: {app: web}
  ports:
    - {name: http, port: 80, targetPort: http, protocol: TCP, appProtocol: kubernetes.io/h2c}
    - {name: dns, port: 53, targetPort: 5353, protocol: UDP}
  sessionAffinity: ClientIP
  sessionAffinityConfig: {clientIP: {timeoutSeconds: 100}}
  ipFamilyPolicy: SingleStack
  ipFamilies: [IPv4]
  internalTrafficPolicy: Local
  publishNotReadyAddresses: true
  externalIPs: ["192.0.2.7"]
  trafficDistribution: PreferClose
`,
  filled: ['spec.externalTrafficPolicy = Cluster', 'status = {loadBalancer: {}}'],
  create: [
    ['-spec', 'spec.ports: Required value'],
    ['-spec.ports[0].name', 'spec.ports[0].name: Required value'],
    ['spec.ipFamilies = [IPv4, IPv4]', 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.ports[0].port', 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ['spec.ipFamilies[0] = ""', 'spec.ipFamilies[0]: Unsupported value: "": supported values: "IPv4", "IPv6"'],
    ['spec.internalTrafficPolicy = ""', 'spec.internalTrafficPolicy: Unsupported value: "": supported values: "Cluster", "Local"'],
    ['spec.sessionAffinity = ClientIPx', 'spec.sessionAffinity: Unsupported value: "ClientIPx": supported values: "ClientIP", "None"'],
    [
      'spec.ipFamilyPolicy = ""',
      'spec.ipFamilyPolicy: Unsupported value: "": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
    [
      'spec.type = "Bad_Name!"',
      'spec.type: Unsupported value: "Bad_Name!": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      'spec.ports[0].targetPort = "Bad_Name!"',
      'spec.ports[0].targetPort: Invalid value: "Bad_Name!": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds = 0',
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower case…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.ports[0].name = "Bad_Name!"',
      `spec.ports[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.app = "Bad_Name!"',
      `spec.selector: Invalid value: "Bad_Name!": a valid label must be an empty string or consist of a…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.app = a × 300',
      'spec.selector: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.ports[0].name = a × 300',
      'spec.ports[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.ports[0].targetPort = a × 300',
      'spec.ports[0].targetPort: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 15 characters',
    ],
  ],
  update: [
    ['spec.ports[0].name = ""', 'spec.ports[0].name: Required value'],
    ['spec.ports[0].port = 0', 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ['spec.externalIPs[0] = ""', 'spec.externalIPs[0]: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    [
      'spec.internalTrafficPolicy = Localx',
      'spec.internalTrafficPolicy: Unsupported value: "Localx": supported values: "Cluster", "Local"',
    ],
    [
      'spec.ports[1].protocol = "Bad_Name!"',
      'spec.ports[1].protocol: Unsupported value: "Bad_Name!": supported values: "SCTP", "TCP", "UDP"',
    ],
    [
      'spec.trafficDistribution = ""',
      'spec.trafficDistribution: Unsupported value: "": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
    [
      'spec.ipFamilyPolicy = "Bad_Name!"',
      'spec.ipFamilyPolicy: Unsupported value: "Bad_Name!": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
    [
      'spec.ports[0].targetPort = "Bad_Name!"',
      'spec.ports[0].targetPort: Invalid value: "Bad_Name!": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds = 0',
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
    [
      'spec.ports[0].name = "Bad_Name!"',
      `spec.ports[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.selector.app = "Bad_Name!"',
      `spec.selector: Invalid value: "Bad_Name!": a valid label must be an empty string or consist of a…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.app = a × 300',
      'spec.selector: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.sessionAffinity = a × 300',
      'spec.sessionAffinity: Unsupported value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…d values: "ClientIP", "None"',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
})

ruleTables(services, {
  object: `
metadata: {name: s}
spec:
  ports: [{port: 80}]
  clusterIP: 10.0.0.1
  clusterIPs: [10.0.0.1, "fd00::1"]
  ipFamilies: [IPv4, IPv6]
  ipFamilyPolicy: PreferDualStack
`,
  create: [
    [
      'spec.clusterIPs = [10.0.0.1, 10.0.0.2]',
      'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
      'spec.clusterIPs[1]: Invalid value: "10.0.0.2": expected an IPv6 value as indicated by `ipFamilies[1]`',
    ],
    ['spec.ipFamilies = [IPv6]', 'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`'],
    [
      'spec.clusterIPs = [None, 10.0.0.1]',
      'spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: first value must match `clusterIP`',
      `spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: 'None' must be the first and only value`,
    ],
    ['spec.clusterIPs[2] = 10.0.0.9', 'spec.clusterIPs: Invalid value: ["10.0.0.1","fd00::1","10.0.0.9"]: may only hold up to 2 values'],
  ],
  update: [
    [
      'spec.clusterIPs = [10.0.0.1] && spec.ipFamilies = [IPv4]',
      `spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP`,
      `spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary ipFamily`,
    ],
    [
      'spec.clusterIPs = [10.0.0.1] && spec.ipFamilies = [IPv4] && spec.ipFamilyPolicy = SingleStack',
      'spec.clusterIPs = ["10.0.0.1"]',
      'spec.ipFamilies = [IPv4]',
      'spec.ipFamilyPolicy = SingleStack',
    ],
    [
      'spec.clusterIPs[0] = 10.0.0.2',
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2","fd00::1"]: may not change once set',
      'spec.clusterIPs: Invalid value: ["10.0.0.2","fd00::1"]: first value must match `clusterIP`',
    ],
  ],
})
