import { ruleTables } from '../../rule-table.contract.ts'
import { services } from '../services.ts'

// Addresses that Kubernetes once accepted stay accepted in the list that has them, and nowhere else.
ruleTables(services, {
  object: `
metadata: {name: s}
spec:
  ports: [{port: 80}]
  selector: {app: web}
`,
  update: [
    [
      'spec.selector.app = 010.0.0.1 -> spec.externalIPs = [010.0.0.1]',
      'spec.externalIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
    [
      'spec.externalIPs = [010.0.0.1] -> spec.externalIPs = [192.0.2.1, 010.0.0.1]',
      'warning: spec.externalIPs[1]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
      'warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.externalIPs = ["192.0.2.1", "010.0.0.1"]',
    ],
    [
      'spec.type = LoadBalancer && spec.loadBalancerSourceRanges = [010.0.0.0/8] -> spec.loadBalancerSourceRanges[1] = 011.0.0.0/8',
      'spec.LoadBalancerSourceRanges[1]: Invalid value: "011.0.0.0/8": must not have leading 0s in IP or prefix length',
    ],
  ],
  status: [
    [
      'spec.type = LoadBalancer -> status.loadBalancer.ingress = [{ip: 010.0.0.1}]',
      'status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
  ],
})
