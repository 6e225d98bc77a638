import { ruleTables } from '../rule-table.contract.ts'
import { services } from './services.ts'

const service = `
metadata: {name: s}
spec:
  ports: [{port: 80}]
  selector: {app: web}
`
ruleTables(services, {
  object: service,
  update: [
    [
      'spec.selector.app = 010.0.0.1 -> spec.externalIPs = [010.0.0.1]',
      'spec.externalIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
    [
      'spec.externalIPs = [010.0.0.1] -> spec.externalIPs = [192.0.2.1, 010.0.0.1]',
      'warning: spec.externalIPs[1]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
      'warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ],
  ],
})
