import { ruleTables } from '../../rule-table.contract.ts'
import { services } from '../services.ts'

ruleTables(services, {
  object: `
metadata: {name: s}
spec: {selector: {app: web}, ports: [{name: a, port: 80}]}
`,
  create: [
    ['spec.type = NodePort', 'spec.externalTrafficPolicy = Cluster'],
    ['spec.type = LoadBalancer', 'spec.externalTrafficPolicy = Cluster', 'spec.allocateLoadBalancerNodePorts = true'],
    ['spec.type = Odd', 'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
    ['spec.type = ExternalName', 'spec.externalName: Required value'],
    ['spec.type = ExternalName && spec.externalName = a.b && -spec.ports', '-spec.internalTrafficPolicy'],
    ['spec.type = ExternalName && spec.externalName = a.b.', '-spec.internalTrafficPolicy'],
    [
      'spec.type = ExternalName && spec.externalName = A',
      `spec.externalName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alp…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.type = ExternalName && spec.externalName = a && spec.clusterIP = 10.0.0.1',
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
    ],
    [
      'spec.type = ExternalName && spec.externalName = a && spec.ipFamilies = [IPv4] && spec.ipFamilyPolicy = SingleStack',
      'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
      'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
    ],
    ['spec.externalName = a', 'warning: spec.externalName is ignored when spec.type is not "ExternalName"'],
    ['-spec.ports', 'spec.ports: Required value'],
    ['-spec.ports && spec.clusterIP = None', 'spec.clusterIPs = [None]'],
    ['spec.clusterIP = None', 'spec.clusterIPs = [None]'],
    [
      'spec.clusterIP = None && spec.type = NodePort',
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
    ],
    [
      'spec.clusterIP = None && spec.type = LoadBalancer',
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for LoadBalancer services`,
    ],
    [
      'spec.type = LoadBalancer && spec.ports[0].port = 10250',
      'spec.ports[0].targetPort = 10250',
      'spec.externalTrafficPolicy = Cluster',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    ['spec.ports[0].port = 10250', 'spec.ports[0].targetPort = 10250'],
    ['spec.ports[1] = {port: 81}', 'spec.ports[1].name: Required value'],
    ['spec.ports[1] = {name: a, port: 81}', 'spec.ports[1].name: Duplicate value: "a"'],
    [
      'spec.ports[1] = {name: b, port: 80}',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    ['spec.ports[1] = {name: b, port: 80, protocol: UDP}', 'spec.ports[1].targetPort = 80'],
    [
      'spec.ports[0].name = A',
      `spec.ports[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphan…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['spec.ports[0].port = 65535', 'spec.ports[0].targetPort = 65535'],
    [
      'spec.ports[0].port = 65536',
      'spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
    ],
    ['spec.ports[0].protocol = Odd', 'spec.ports[0].protocol: Unsupported value: "Odd": supported values: "SCTP", "TCP", "UDP"'],
    ['spec.ports[0].targetPort = http'],
    [
      'spec.ports[0].targetPort = A_',
      'spec.ports[0].targetPort: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ports[0].targetPort: Invalid value: "A_": must contain at least one letter (a-z)',
    ],
    ['spec.ports[0].targetPort = 0', 'spec.ports[0].targetPort = 80'],
    ['spec.ports[0].targetPort = 65536', 'spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive'],
    ['spec.ports[0].appProtocol = a.b/c'],
    [
      'spec.ports[0].appProtocol = "a b"',
      `spec.ports[0].appProtocol: Invalid value: "a b": name part must consist of alphanumeric characters, …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['spec.ports[0].nodePort = 30000', "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    [
      'spec.type = NodePort && spec.ports = [{name: a, port: 1, nodePort: 30000}, {name: b, port: 2, nodePort: 30000}]',
      'spec.ports[1].nodePort: Duplicate value: 30000',
    ],
    [
      'spec.type = NodePort && spec.ports = [{name: a, port: 1, nodePort: 30000}, {name: b, port: 2, nodePort: 30000, protocol: UDP}]',
      'spec.ports[0].targetPort = 1',
      'spec.ports[0].protocol = TCP',
      'spec.ports[1].targetPort = 2',
      'spec.externalTrafficPolicy = Cluster',
    ],
    ['spec.sessionAffinity = Odd', 'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"'],
    ['spec.sessionAffinity = ClientIP', 'spec.sessionAffinityConfig = {clientIP: {timeoutSeconds: 10800}}'],
    [
      'spec.sessionAffinity = ClientIP && spec.sessionAffinityConfig.clientIP.timeoutSeconds = 0',
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
    ['spec.sessionAffinity = ClientIP && spec.sessionAffinityConfig.clientIP.timeoutSeconds = 86400'],
    [
      'spec.sessionAffinity = ClientIP && spec.sessionAffinityConfig.clientIP.timeoutSeconds = 86401',
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
    ],
    ['spec.sessionAffinity = None && spec.sessionAffinityConfig.clientIP.timeoutSeconds = 5', '-spec.sessionAffinityConfig'],
    ['spec.externalIPs = [x]', 'spec.externalIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    [
      'spec.externalIPs = [127.0.0.1]',
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    ['spec.externalIPs = [0.0.0.0]', 'spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
    [
      'spec.externalIPs = [169.254.1.1]',
      'spec.externalIPs[0]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      'spec.externalIPs = [224.0.0.1]',
      'spec.externalIPs[0]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ],
    [
      'spec.externalIPs = [192.0.2.1]',
      'warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.externalTrafficPolicy = Cluster',
    ],
    [
      'spec.externalIPs = ["::ffff:1.2.3.4"]',
      'spec.externalIPs[0]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
    ],
    [
      'spec.selector = {"a b": c}',
      `spec.selector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerSourceRanges = [10.0.0.0/8]',
      'spec.externalTrafficPolicy = Cluster',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    [
      'spec.loadBalancerSourceRanges = [10.0.0.0/8]',
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerSourceRanges = [x]',
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerSourceRanges = [10.0.0.1/8]',
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
    [
      'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] = 10.0.0.0/8',
      "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.type = LoadBalancer && metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] = "10.0.0.0/8, x"',
      'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.type = LoadBalancer && metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] = " "',
      'spec.externalTrafficPolicy = Cluster',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    [
      'spec.allocateLoadBalancerNodePorts = true',
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    ['spec.type = LoadBalancer && spec.allocateLoadBalancerNodePorts = false', 'spec.externalTrafficPolicy = Cluster'],
    ['spec.loadBalancerClass = a.b/c', "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = a.b/c',
      'spec.externalTrafficPolicy = Cluster',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = "a b"',
      `spec.loadBalancerClass: Invalid value: "a b": name part must consist of alphanumeric characters, '-'…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerIP = 010.0.0.1',
      'warning: spec.loadBalancerIP: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
      'spec.externalTrafficPolicy = Cluster',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    [
      'spec.clusterIP = None && spec.loadBalancerIP = 10.0.0.1 && spec.externalIPs = [192.0.2.1] && spec.sessionAffinity = ClientIP',
      'warning: spec.loadBalancerIP is ignored for headless services',
      'warning: spec.externalIPs is ignored for headless services',
      'warning: spec.SessionAffinity is ignored for headless services',
      'spec.sessionAffinityConfig = {clientIP: {timeoutSeconds: 10800}}',
      'spec.externalTrafficPolicy = Cluster',
      'spec.clusterIPs = [None]',
    ],
    [
      'spec.externalTrafficPolicy = Local',
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
    [
      'spec.externalIPs = [192.0.2.1] && spec.externalTrafficPolicy = Local',
      'warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ],
    [
      'spec.type = NodePort && spec.externalTrafficPolicy = Odd',
      'spec.externalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"',
    ],
    ['spec.type = LoadBalancer && spec.externalTrafficPolicy = Local', 'spec.healthCheckNodePort: Required value'],
    [
      'spec.type = LoadBalancer && spec.externalTrafficPolicy = Local && spec.healthCheckNodePort = 30000',
      'spec.allocateLoadBalancerNodePorts = true',
    ],
    [
      'spec.type = LoadBalancer && spec.externalTrafficPolicy = Local && spec.healthCheckNodePort = 65536',
      'spec.healthCheckNodePort: Invalid value: 65536: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.type = LoadBalancer && spec.healthCheckNodePort = 30000',
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
    ['spec.internalTrafficPolicy = Odd', 'spec.internalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"'],
    ['spec.internalTrafficPolicy = Local'],
    ['spec.trafficDistribution = PreferClose', 'warning: spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    ['spec.trafficDistribution = PreferSameNode'],
    [
      'spec.trafficDistribution = Odd',
      'spec.trafficDistribution: Unsupported value: "Odd": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
    [
      'metadata.annotations[service.kubernetes.io/topology-aware-hints] = auto',
      'warning: annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    ],
    ['spec.clusterIP = 10.0.0.1', 'spec.clusterIPs = ["10.0.0.1"]'],
    ['spec.clusterIP = x', 'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['spec.clusterIPs = [10.0.0.1]', 'spec.clusterIPs: Invalid value: ["10.0.0.1"]: must be empty when `clusterIP` is not specified'],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.2]',
      'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
    ],
    [
      'spec.clusterIP = None && spec.clusterIPs = [None, 10.0.0.1]',
      `spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: 'None' must be the first and only value`,
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, None]',
      'spec.clusterIPs[1]: Invalid value: "None": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, 10.0.0.2]',
      'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
    ],
    ['spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1"]'],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1", "fd00::2"]',
      'spec.clusterIPs: Invalid value: ["10.0.0.1","fd00::1","fd00::2"]: may only hold up to 2 values',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.ipFamilies = [IPv6]',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
    [
      'spec.clusterIP = "fd00::1" && spec.ipFamilies = [IPv4]',
      'spec.clusterIPs[0]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
    ],
    ['spec.clusterIP = "fd00::1" && spec.ipFamilies = [IPv6]', 'spec.clusterIPs = ["fd00::1"]'],
    ['spec.clusterIP = None && spec.ipFamilies = [IPv6]', 'spec.clusterIPs = [None]'],
    ['spec.ipFamilies = [Odd]', 'spec.ipFamilies[0]: Unsupported value: "Odd": supported values: "IPv4", "IPv6"'],
    ['spec.ipFamilies = [IPv4, IPv4]', 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
    [
      'spec.ipFamilyPolicy = Odd',
      'spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
    ['spec.ipFamilyPolicy = PreferDualStack'],
  ],
  update: [
    ['spec.clusterIP = 10.0.0.1 -> spec.clusterIP = 10.0.0.2', 'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ['spec.clusterIP = 10.0.0.1 -> -spec.clusterIP'],
    ['spec.clusterIP = 10.0.0.1 -> spec.clusterIP = ""'],
    ['spec.clusterIP = 10.0.0.1 -> spec.clusterIP = "" && spec.clusterIPs = []'],
    ['spec.clusterIP = None -> spec.selector = {}', '-spec.selector'],
    [
      'spec.clusterIP = None && spec.ipFamilies = [IPv4] -> spec.ipFamilies = [IPv6]',
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
    ],
    ['spec.clusterIP = None && spec.ipFamilies = [IPv4] && spec.selector = {} -> spec.ipFamilies = [IPv6]', 'spec.ipFamilies[0] = IPv6'],
    [
      'spec.clusterIP = None -> spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1]',
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.1"]: may not change once set',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.ipFamilies = [IPv4] -> spec.ipFamilies = [IPv6]',
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.ipFamilies = [IPv4] -> spec.ipFamilies = []',
      'spec.ipFamilies[0]: Invalid value: []: primary ipFamily can not be unset',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.ipFamilies = [IPv4] -> spec.ipFamilies = [IPv4, IPv6] && spec.ipFamilyPolicy = RequireDualStack && spec.clusterIPs = [10.0.0.1, "fd00::1"]',
      'spec.ipFamilies = [IPv4, IPv6]',
      'spec.clusterIPs = ["10.0.0.1", "fd00::1"]',
      'spec.ipFamilyPolicy = RequireDualStack',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1"] && spec.ipFamilies = [IPv4, IPv6] && spec.ipFamilyPolicy = RequireDualStack -> spec.clusterIPs = [10.0.0.1] && spec.ipFamilies = [IPv4]',
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP`,
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to 'SingleStack' when releasing the secondary ipFamily`,
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1"] && spec.ipFamilies = [IPv4, IPv6] && spec.ipFamilyPolicy = RequireDualStack -> spec.clusterIPs = [10.0.0.1] && spec.ipFamilies = [IPv4] && spec.ipFamilyPolicy = SingleStack',
      'spec.clusterIPs = ["10.0.0.1"]',
      'spec.ipFamilies = [IPv4]',
      'spec.ipFamilyPolicy = SingleStack',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1"] && spec.ipFamilies = [IPv4, IPv6] && spec.ipFamilyPolicy = RequireDualStack -> spec.clusterIPs = [10.0.0.1, "fd00::2"]',
      'spec.clusterIPs[1]: Invalid value: ["10.0.0.1","fd00::2"]: may not change once set',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.clusterIPs = [10.0.0.1, "fd00::1"] && spec.ipFamilies = [IPv4, IPv6] && spec.ipFamilyPolicy = RequireDualStack -> spec.clusterIP = 10.0.0.2 && spec.clusterIPs = [10.0.0.2] && spec.ipFamilies = [IPv6] && spec.ipFamilyPolicy = SingleStack',
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.2": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
    [
      'spec.clusterIP = 10.0.0.1 -> spec.type = ExternalName && spec.externalName = a',
      '-spec.clusterIP',
      'spec.type = ExternalName',
      '-spec.internalTrafficPolicy',
      '-spec.clusterIPs',
      'spec.externalName = a',
    ],
    [
      'spec.clusterIP = 10.0.0.1 && spec.ipFamilies = [IPv4] && spec.ipFamilyPolicy = SingleStack -> spec.type = ExternalName && spec.externalName = a',
      '-spec.clusterIP',
      '-spec.ipFamilies',
      '-spec.ipFamilyPolicy',
      'spec.type = ExternalName',
      '-spec.internalTrafficPolicy',
      '-spec.clusterIPs',
      'spec.externalName = a',
    ],
    [
      'spec.clusterIP = 10.0.0.1 -> spec.type = ExternalName && spec.externalName = a && spec.clusterIP = 10.0.0.2',
      'spec.clusterIP = "10.0.0.2"',
      'spec.type = ExternalName',
      '-spec.internalTrafficPolicy',
      'spec.clusterIPs[0] = "10.0.0.2"',
      'spec.externalName = a',
    ],
    [
      'spec.clusterIP = 10.0.0.1 -> spec.type = ExternalName && spec.externalName = a && spec.clusterIPs = [10.0.0.2]',
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
    ],
    [
      'spec.type = NodePort && spec.ports = [{name: a, port: 1, nodePort: 30000}, {name: b, port: 2, nodePort: 30001}] -> spec.type = ClusterIP && -spec.ports[1] && spec.ports[0].name = c',
      'spec.ports = [{name: c, port: 1, targetPort: 1, protocol: TCP}]',
      'spec.type = ClusterIP',
      '-spec.externalTrafficPolicy',
    ],
    [
      'spec.type = ClusterIP -> spec.ports = [{port: 1, nodePort: 30000}, {port: 1, nodePort: 30000, name: a}]',
      'spec.ports[0].name: Required value',
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      "spec.ports[1].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      'spec.ports[1].nodePort: Duplicate value: 30000',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
    ],
    ['spec.type = NodePort && spec.ports[0].nodePort = 30000 -> -spec.ports[0].nodePort'],
    [
      'spec.type = NodePort && spec.ports[0].nodePort = 30000 -> spec.ports[0].nodePort = 0 && spec.ports[0].name = b',
      'spec.ports[0].name = b',
      '-spec.ports[0].nodePort',
    ],
    [
      'spec.type = NodePort && spec.ports[0].nodePort = 30000 -> spec.ports = [{name: b, port: 1, nodePort: 30000}, {name: a, port: 2}]',
      'spec.ports = [{name: b, port: 1, targetPort: 1, nodePort: 30000, protocol: TCP}, {name: a, port: 2, targetPort: 2, protocol: TCP}]',
    ],
    [
      'spec.type = NodePort && spec.ports[0].nodePort = 30000 -> spec.type = ClusterIP',
      '-spec.ports[0].nodePort',
      'spec.type = ClusterIP',
      '-spec.externalTrafficPolicy',
    ],
    [
      'spec.type = NodePort && spec.ports[0].nodePort = 30000 -> spec.type = ClusterIP && spec.ports[0].nodePort = 30001',
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      'spec.type = NodePort && spec.externalTrafficPolicy = Local -> spec.type = ClusterIP',
      'spec.type = ClusterIP',
      '-spec.externalTrafficPolicy',
    ],
    [
      'spec.type = NodePort && spec.externalTrafficPolicy = Local -> spec.type = ClusterIP && spec.externalTrafficPolicy = Cluster',
      'spec.externalTrafficPolicy: Invalid value: "Cluster": may only be set for externally-accessible services',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = a.b/c -> spec.loadBalancerClass = a.b/d',
      'spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = a.b/c -> -spec.loadBalancerClass',
      'spec.loadBalancerClass: Invalid value: null: may not change once set',
    ],
    [
      'spec.type = LoadBalancer -> spec.loadBalancerClass = a.b/d',
      'spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = a.b/c -> spec.type = NodePort',
      'spec.type = NodePort',
      '-spec.loadBalancerClass',
      '-spec.allocateLoadBalancerNodePorts',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerClass = a.b/c && spec.allocateLoadBalancerNodePorts = false -> spec.type = NodePort && spec.allocateLoadBalancerNodePorts = true',
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    ['spec.type = LoadBalancer && spec.externalTrafficPolicy = Local && spec.healthCheckNodePort = 30000 -> -spec.healthCheckNodePort'],
    [
      'spec.type = LoadBalancer && spec.externalTrafficPolicy = Local && spec.healthCheckNodePort = 30000 -> spec.externalTrafficPolicy = Cluster',
      'spec.externalTrafficPolicy = Cluster',
      '-spec.healthCheckNodePort',
    ],
    [
      'spec.type = LoadBalancer && spec.externalTrafficPolicy = Local && spec.healthCheckNodePort = 30000 -> spec.externalTrafficPolicy = Cluster && spec.healthCheckNodePort = 30001',
      "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
    [
      'spec.internalTrafficPolicy = Local -> spec.type = ExternalName && spec.externalName = a',
      '-spec.internalTrafficPolicy',
      'spec.type = ExternalName',
      'spec.externalName = a',
    ],
    [
      'spec.internalTrafficPolicy = Local -> spec.type = ExternalName && spec.externalName = a && spec.internalTrafficPolicy = Cluster',
      '-spec.internalTrafficPolicy',
      'spec.type = ExternalName',
      'spec.externalName = a',
    ],
    [
      'spec.type = LoadBalancer && metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] = x -> metadata.labels.a = b',
      'metadata.labels = {a: b}',
    ],
  ],
  status: [
    [
      'status.loadBalancer.ingress = [{ip: 10.0.0.1}]',
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{ip: 10.0.0.1}]',
      'status.loadBalancer.ingress = [{ip: "10.0.0.1", ipMode: VIP}]',
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{ip: x}]',
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{ip: 10.0.0.1, ipMode: Odd}]',
      'status.loadBalancer.ingress[0].ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"',
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{ip: 10.0.0.1, ipMode: Proxy}]',
      'status.loadBalancer.ingress = [{ip: "10.0.0.1", ipMode: Proxy}]',
    ],
    ['spec.type = LoadBalancer -> status.loadBalancer.ingress = [{hostname: a.b}]', 'status.loadBalancer.ingress = [{hostname: a.b}]'],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{hostname: a.b, ipMode: VIP}]',
      'status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set',
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{hostname: A}]',
      `status.loadBalancer.ingress[0].hostname: Invalid value: "A": a lowercase RFC 1123 subdomain must con…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{hostname: 10.0.0.1}]',
      'status.loadBalancer.ingress[0].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ],
    ['spec.type = LoadBalancer -> status.loadBalancer.ingress = [{}]', 'status.loadBalancer.ingress = [{}]'],
  ],
})
